//! The approver at the terminal.

use std::collections::BTreeSet;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;

use crate::call::ToolName;
use crate::cli::ask::question::{paint_diff, question};
use crate::cli::ask::terminal::Terminal;
use crate::cli::stage::Stage;
use crate::exec::{Approval, Approver, WriteRequest};
use crate::limits::{ANSWERS_MAX, ASKED_LINES_MAX};
use crate::text::system_words;

/// Asks a person. One question at a time is on the stage.
pub(in crate::cli) struct Person<T> {
    terminal: T,
    stage: Stage,
    colour: bool,
    /// The tools that need no more questions in this run.
    always: Mutex<BTreeSet<ToolName>>,
}

/// What an answer means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    Yes,
    No,
    Always,
    Whole,
    Unclear,
}

impl Answer {
    fn of(line: &str) -> Self {
        match line.trim().to_lowercase().as_str() {
            "y" | "yes" => Self::Yes,
            "" | "n" | "no" => Self::No,
            "a" | "always" => Self::Always,
            "d" | "diff" => Self::Whole,
            _ => Self::Unclear,
        }
    }
}

impl<T: Terminal> Person<T> {
    pub fn new(terminal: T, stage: Stage, colour: bool) -> Self {
        Self { terminal, stage, colour, always: Mutex::default() }
    }

    async fn ask(&self, request: &WriteRequest) -> io::Result<Approval> {
        let tool = &request.call.tool;
        self.terminal.forget()?;
        self.say(&question(request, self.colour))?;
        let left = request.diff.as_ref().is_some_and(|diff| diff.lines.len() > ASKED_LINES_MAX);
        let whole = if left { ", [d]ifference whole" } else { "" };
        for _ in 0..ANSWERS_MAX {
            let prompt = format!("Allow it? [y]es, [n]o, [a]lways for `{tool}` in this run{whole}: ");
            self.terminal.say(&prompt)?;
            let unanswered = Unanswered(&self.terminal);
            let line = self.terminal.line().await?;
            std::mem::forget(unanswered);
            let Some(line) = line else {
                self.terminal.say("\n")?;
                return Ok(no("the input ended before there was an answer"));
            };
            match Answer::of(&line) {
                Answer::Yes => return Ok(yes()),
                Answer::Always => {
                    self.always.lock().unwrap_or_else(PoisonError::into_inner).insert(tool.clone());
                    return Ok(yes());
                }
                Answer::No => return Ok(no("the answer was no")),
                Answer::Whole => {
                    let diff = request.diff.iter();
                    self.say(
                        &diff.flat_map(|diff| paint_diff(diff, usize::MAX, self.colour)).collect::<Vec<_>>(),
                    )?;
                }
                Answer::Unclear => self.terminal.say("Please answer with y, n or a.\n")?,
            }
        }
        Ok(no("there was no clear answer"))
    }

    fn say(&self, lines: &[String]) -> io::Result<()> {
        lines.iter().try_for_each(|line| self.terminal.say(&format!("{line}\n")))
    }

    fn is_always(&self, tool: &ToolName) -> bool {
        self.always.lock().unwrap_or_else(PoisonError::into_inner).contains(tool)
    }
}

/// A question that is given up leaves its line, so that what is printed next begins one of its own.
struct Unanswered<'t, T: Terminal>(&'t T);

impl<T: Terminal> Drop for Unanswered<'_, T> {
    fn drop(&mut self) {
        let _ = self.0.say("\n");
    }
}

fn yes() -> Approval {
    Approval::Yes { by: "the person at the terminal".into() }
}

fn no(why: &str) -> Approval {
    Approval::No { by: "the person at the terminal".into(), details: why.to_owned(), hint: None }
}

#[async_trait]
impl<T: Terminal + 'static> Approver for Person<T> {
    async fn approve(&self, request: &WriteRequest) -> Approval {
        let always: Arc<str> = "the person at the terminal, who said so once for this tool".into();
        if self.is_always(&request.call.tool) {
            return Approval::Yes { by: always };
        }
        let mut screen = self.stage.take().await;
        // Somebody may have said it while this question waited for the stage.
        if self.is_always(&request.call.tool) {
            return Approval::Yes { by: always };
        }
        screen.wipe();
        match self.ask(request).await {
            Ok(answer) => answer,
            Err(fault) => no(&format!("the terminal failed: {}", system_words(&fault))),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use serde_json::json;

    use super::*;
    use crate::call::Call;
    use crate::exec::{ApprovalKey, DecidedBy, Diff};
    use crate::harness::RootPath;
    use crate::id::CallId;
    use crate::manifest::Effects;
    use crate::tool::FileChange;

    /// A terminal in memory: lines to be typed, and what was said.
    #[derive(Clone, Default)]
    struct Memory(Arc<Mutex<(VecDeque<String>, String)>>);

    #[async_trait]
    impl Terminal for Memory {
        fn say(&self, text: &str) -> io::Result<()> {
            self.0.lock().unwrap().1.push_str(text);
            Ok(())
        }

        fn forget(&self) -> io::Result<()> {
            Ok(())
        }

        async fn line(&self) -> io::Result<Option<String>> {
            Ok(self.0.lock().unwrap().0.pop_front())
        }
    }

    fn request(after: &str) -> WriteRequest {
        let arguments = json!({"path": "a.md", "body": "\u{1b}[2J"}).as_object().unwrap().clone();
        let call = Call { caller: "write the note".into(), ..Call::new(CallId(1), "edit", arguments) };
        let change = FileChange {
            root: "/notes".into(),
            path: RootPath::parse("a.md").unwrap(),
            before: Some(b"one\n".as_slice().into()),
            after: Some(after.as_bytes().into()),
        };
        let changes: Arc<[FileChange]> = vec![change].into();
        WriteRequest {
            effects: Effects::Writes,
            asked_by: DecidedBy::Default("the default for tools that write"),
            diff: Some(Diff::of(&changes)),
            key: ApprovalKey::of(&call, Some(&changes)),
            changes: Some(changes),
            call: Arc::new(call),
            round: 1,
        }
    }

    async fn asked(typed: &[&str], request: &WriteRequest) -> (Approval, String) {
        let memory = Memory::default();
        memory.0.lock().unwrap().0.extend(typed.iter().map(|line| format!("{line}\n")));
        let person = Person::new(memory.clone(), Stage::new(), false);
        let answer = person.approve(request).await;
        let said = memory.0.lock().unwrap().1.clone();
        (answer, said)
    }

    #[tokio::test]
    async fn a09_the_person_sees_the_difference_and_only_a_yes_is_one() {
        let (answer, said) = asked(&["y"], &request("two\n")).await;
        assert_eq!(answer, yes());
        insta::assert_snapshot!(said, @r"

        The tool `edit` wants to write (write the note).

        --- /notes/a.md
        +++ /notes/a.md
        @@ -1 +1 @@
        -one
        +two

        Asked because of the default for tools that write; `helve undo` can take it back.
        Allow it? [y]es, [n]o, [a]lways for `edit` in this run: 
        ");
        let check = async |typed: &[&str], expected: Approval| {
            let (answer, said) = asked(typed, &request("two\n")).await;
            assert_eq!(answer, expected, "{said}");
        };
        check(&["YES"], yes()).await;
        check(&["what", "y"], yes()).await;
        check(&["always"], yes()).await;
        check(&["n"], no("the answer was no")).await;
        check(&[""], no("the answer was no")).await;
        check(&[], no("the input ended before there was an answer")).await;
        check(&["hm", "yeah", "yy", "y"], no("there was no clear answer")).await;
    }

    #[tokio::test]
    async fn a09_always_holds_for_the_tool_and_not_for_another() {
        let memory = Memory::default();
        memory.0.lock().unwrap().0.extend(["a\n".to_owned(), "n\n".to_owned()]);
        let person = Person::new(memory, Stage::new(), false);
        assert_eq!(person.approve(&request("two\n")).await, yes());
        assert!(matches!(person.approve(&request("three\n")).await, Approval::Yes { .. }));
        let mut other = request("two\n");
        other.call = Arc::new(Call { tool: "other".into(), ..(*other.call).clone() });
        assert_eq!(person.approve(&other).await, no("the answer was no"));
    }

    #[tokio::test]
    async fn a_long_difference_is_cut_until_it_is_asked_for() {
        let long = "x\n".repeat(100);
        let (_, said) = asked(&["n"], &request(&long)).await;
        assert!(
            said.contains("more lines (+100 -1 in all)") && said.contains("[d]ifference whole"),
            "{said}"
        );
        let (_, said) = asked(&["d", "n"], &request(&long)).await;
        assert_eq!(said.matches("+x\n").count(), 100 + ASKED_LINES_MAX - 4);
    }

    #[tokio::test]
    async fn a_tool_that_cannot_say_shows_its_arguments() {
        let mut request = request("two\n");
        (request.changes, request.diff) = (None, None);
        let (_, said) = asked(&["n"], &request).await;
        assert!(said.contains("  body: \"\\u001b[2J\"\n  path: \"a.md\"\n"), "{said}");
        assert!(said.contains("it cannot be undone"), "{said}");
    }
}
