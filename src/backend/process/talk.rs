//! The conversation with a running process: arguments in, output and log out, until both the
//! process and its pipes have ended.

use std::convert::Infallible;
use std::future::pending;
use std::pin::pin;

use serde_json::{Value as Json, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::unix::pipe::{Receiver, Sender};
use tokio::time::timeout;

use super::failure::Failure;
use super::lines::Lines;
use super::log::LogTail;
use super::proposal::Proposal;
use super::protocol::{Said, line, whole};
use super::secrets::Secrets;
use super::{Output, Spec};
use crate::harness::{End, Hold, Process};
use crate::limits::{PROCESS_DRAIN_MAX, PROCESS_EVENTS_MAX};
use crate::text::system_words;
use crate::tool::{CallContext, ToolError};

/// What a call listens with.
pub(super) struct Talk<'c> {
    pub spec: &'c Spec,
    pub secrets: &'c Secrets,
    pub nonce: Option<&'c str>,
    /// Whether watchers hear what it says on the way.
    pub is_told: bool,
    pub cx: &'c CallContext,
}

/// What was heard of a process, from its start to its end.
pub(super) struct Heard {
    /// What it printed, read as its manifest says.
    pub said: Result<Printed, Failure>,
    /// How it ended; `None` when the runtime goes down.
    pub end: Option<End>,
    pub log: LogTail,
}

/// What a process printed.
#[derive(Default)]
pub(super) struct Printed {
    /// `None` when no result was among it.
    result: Option<Json>,
    changes: Proposal,
}

impl Talk<'_> {
    /// Talks until the end. When the call is cancelled, or what is heard cannot be borne any longer,
    /// the process is told to end, and its end is awaited here all the same.
    pub async fn until_the_end(&self, process: Process, input: Vec<u8>) -> Heard {
        let Process { stdin, stdout, stderr, mut hold, .. } = process;
        let (stop, cancel) = (hold.stopper(), self.cx.token());
        let on_cancel = async {
            cancel.cancelled().await;
            stop.cancel();
            pending::<Infallible>().await
        };
        let mut log = LogTail::new(self.secrets);
        let talking = async {
            let heard = async {
                let heard = self.listen(stdout).await;
                if heard.is_err() {
                    stop.cancel();
                }
                heard
            };
            let ((), heard, ()) = tokio::join!(feed(stdin, input), heard, keep(stderr, &mut log));
            heard
        };
        let (said, end) = tokio::select! {
            both = both(&mut hold, talking) => both,
            never = on_cancel => match never {},
        };
        Heard { said, end, log }
    }

    async fn listen(&self, mut stdout: Receiver) -> Result<Printed, Failure> {
        let mut lines = Lines::new(self.spec.output_bytes, self.spec.line_bytes);
        let mut events = Events { talk: self, printed: Printed::default(), seen: 0 };
        let mut buffer = vec![0; 64 << 10];
        let is_lines = matches!(self.spec.output, Output::Events | Output::NoncedEvents);
        loop {
            let count =
                stdout.read(&mut buffer).await.map_err(|fault| Failure::Pipe(system_words(&fault)))?;
            lines.take(&buffer[..count])?;
            while let Some(text) = if is_lines { lines.next(count == 0)? } else { None } {
                events.hear(line(&text, lines.number(), self.nonce, self.secrets)?, lines.number())?;
            }
            if count == 0 {
                break;
            }
        }
        if is_lines {
            return Ok(events.printed);
        }
        // Whether an empty output is a fault depends on how the process ended, which is not known yet.
        match whole(self.spec.output, lines.whole()?, self.secrets) {
            Err(Failure::Nothing) => Ok(Printed::default()),
            read => read.map(|result| Printed { result: Some(result), ..Printed::default() }),
        }
    }
}

/// The events of one process.
struct Events<'t> {
    talk: &'t Talk<'t>,
    printed: Printed,
    seen: usize,
}

impl Events<'_> {
    fn hear(&mut self, said: Said, line: usize) -> Result<(), Failure> {
        let cx = self.talk.cx;
        self.seen += 1;
        let is_told = self.talk.is_told && self.seen <= PROCESS_EVENTS_MAX;
        match said {
            Said::Nothing => {}
            Said::Error(error) => return Err(Failure::Said(error)),
            Said::Result(_) if self.printed.result.is_some() => {
                return Err(Failure::NotEvent { line, why: "it is a second `final_result`".into() });
            }
            Said::Result(data) => self.printed.result = Some(data),
            Said::Change { .. } if !self.talk.spec.proposes => {
                let why = "its manifest has no `proposes = true`, without which no `change` is taken".into();
                return Err(Failure::NotEvent { line, why });
            }
            Said::Change { path, content } => {
                let added = self.printed.changes.add(&path, content);
                added.map_err(|why| Failure::NotEvent { line, why })?;
            }
            Said::Log { level, message } if is_told => {
                cx.progress(message.clone());
                cx.raise("tool.call.log", json!({"level": level, "message": message}));
            }
            Said::Intermediate { label, data } if is_told => {
                cx.raise("tool.call.intermediate", json!({"label": label, "data": data}));
            }
            Said::Log { .. } | Said::Intermediate { .. } => {}
        }
        Ok(())
    }
}

/// Waits for the end of the process and of its pipes. What the process has left behind is dead by
/// the time its end is told, so the pipes end with it, but for those of a stranger that holds them.
async fn both(
    hold: &mut Hold,
    talking: impl Future<Output = Result<Printed, Failure>>,
) -> (Result<Printed, Failure>, Option<End>) {
    let mut talking = pin!(talking);
    tokio::select! {
        heard = &mut talking => (heard, hold.end().await),
        end = hold.end() => {
            let heard = timeout(PROCESS_DRAIN_MAX, talking).await;
            (heard.unwrap_or(Err(Failure::Held)), end)
        }
    }
}

/// A program need not read its arguments: that its end of the pipe is closed is no fault.
async fn feed(mut stdin: Sender, input: Vec<u8>) {
    let _ = stdin.write_all(&input).await;
}

async fn keep(mut stderr: Receiver, log: &mut LogTail) {
    let mut buffer = vec![0; 8 << 10];
    // A log that breaks off is what there is of it.
    while let Ok(count @ 1..) = stderr.read(&mut buffer).await {
        log.take(&buffer[..count]);
    }
}

impl Heard {
    /// The result and what files are to hold, or the first reason that there is no result: what the program
    /// said, then how it ended.
    pub fn into_answer(mut self, secrets: &Secrets) -> Result<(Json, Proposal), ToolError> {
        let log = self.log.text(secrets);
        let status = self.end.as_ref().and_then(|end| end.status);
        let failure = match (self.said, status) {
            (Err(failure), _) => failure,
            (Ok(_), None) => Failure::Immortal,
            (Ok(_), Some(status)) if !status.success() => Failure::Ended(status),
            (Ok(Printed { result: None, .. }), Some(_)) => Failure::Nothing,
            (Ok(Printed { result: Some(result), changes }), Some(_)) => return Ok((result, changes)),
        };
        Err(failure.into_error(&log))
    }
}
