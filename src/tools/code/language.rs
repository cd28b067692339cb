//! The languages that files are written in, by file name.

use std::path::Path;

use crate::diag::did_you_mean;
use crate::tool::ToolError;
use crate::tools::code::grammar::Grammar;

/// A language: how people call it, how its files are named, and its grammar when there is one.
#[derive(Debug)]
pub struct Language {
    /// The name that results use.
    pub name: &'static str,
    /// Other names that arguments may use.
    aliases: &'static [&'static str],
    /// File extensions without the dot, and whole file names.
    files: &'static [&'static str],
    /// What parses it; without one its files are only searched as text.
    pub grammar: Option<Grammar>,
}

const fn parsed(
    name: &'static str,
    aliases: &'static [&'static str],
    files: &'static [&'static str],
    grammar: Grammar,
) -> Language {
    Language { name, aliases, files, grammar: Some(grammar) }
}

const fn text(
    name: &'static str,
    aliases: &'static [&'static str],
    files: &'static [&'static str],
) -> Language {
    Language { name, aliases, files, grammar: None }
}

/// Every language that is told apart. The last is what everything else is.
static LANGUAGES: &[Language] = &[
    parsed("rust", &["rs"], &["rs"], Grammar::Rust),
    parsed("python", &["py"], &["py", "pyi", "pyw"], Grammar::Python),
    parsed("javascript", &["js", "jsx"], &["js", "jsx", "mjs", "cjs"], Grammar::JavaScript),
    parsed("typescript", &["ts"], &["ts", "mts", "cts"], Grammar::TypeScript),
    parsed("tsx", &[], &["tsx"], Grammar::Tsx),
    parsed("go", &["golang"], &["go"], Grammar::Go),
    parsed("c", &[], &["c", "h"], Grammar::C),
    parsed("cpp", &["c++", "cxx"], &["cpp", "cc", "cxx", "hpp", "hh", "hxx", "ipp", "inl"], Grammar::Cpp),
    text("bash", &["sh", "shell", "zsh"], &["sh", "bash", "zsh"]),
    text("csharp", &["c#", "cs"], &["cs"]),
    text("css", &["scss", "less"], &["css", "scss", "less"]),
    text("docker", &["dockerfile"], &["Dockerfile", "dockerfile"]),
    text("elixir", &["ex"], &["ex", "exs"]),
    text("haskell", &["hs"], &["hs"]),
    text("html", &[], &["html", "htm"]),
    text("java", &[], &["java"]),
    text("json", &[], &["json", "jsonl"]),
    text("kotlin", &["kt"], &["kt", "kts"]),
    text("lua", &[], &["lua"]),
    text("make", &["makefile"], &["Makefile", "makefile", "mk"]),
    text("markdown", &["md"], &["md", "markdown"]),
    text("php", &[], &["php"]),
    text("proto", &["protobuf"], &["proto"]),
    text("ruby", &["rb"], &["rb"]),
    text("scala", &[], &["scala", "sc"]),
    text("scheme", &["scm", "lisp"], &["scm", "lisp"]),
    text("sql", &[], &["sql"]),
    text("swift", &[], &["swift"]),
    text("toml", &[], &["toml"]),
    text("xml", &[], &["xml", "xsd", "svg"]),
    text("yaml", &["yml"], &["yaml", "yml"]),
    text("zig", &[], &["zig"]),
    text("text", &["txt", "plain"], &["txt"]),
];

impl Language {
    /// The language of the file at `path`, by its name alone: files are not opened to be listed.
    pub fn of_path(path: &str) -> &'static Self {
        let path = Path::new(path);
        let matches = |part: Option<&std::ffi::OsStr>| {
            let part = part?.to_str()?;
            LANGUAGES.iter().find(|language| language.files.contains(&part))
        };
        (matches(path.extension()).or_else(|| matches(path.file_name()))).unwrap_or_else(Self::plain)
    }

    /// The language that an argument names.
    ///
    /// # Errors
    /// A user input error with the nearest name when there is none.
    pub fn parse(name: &str) -> Result<&'static Self, ToolError> {
        let lower = name.trim().to_lowercase();
        let found = LANGUAGES.iter().find(|known| known.name == lower || known.aliases.contains(&&*lower));
        found.ok_or_else(|| unknown(name, &lower))
    }

    /// What is written in no language that is told apart.
    fn plain() -> &'static Self {
        Self::named("text")
    }

    /// C++, which is also what headers hold in a repository with C++ sources.
    pub fn cpp() -> &'static Self {
        Self::named("cpp")
    }

    fn named(name: &str) -> &'static Self {
        (LANGUAGES.iter().find(|language| language.name == name))
            .expect("the callers of this function name rows of the table")
    }
}

/// Two mentions of one row are the same language.
impl PartialEq for Language {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

fn unknown(name: &str, lower: &str) -> ToolError {
    let names = LANGUAGES.iter().flat_map(|known| known.aliases.iter().chain([&known.name]));
    let error = ToolError::user_input(format!("unknown language `{name}`"));
    match did_you_mean(lower, names.copied()) {
        Some(near) => error.suggest(format!("Did you mean `{near}`?")),
        None => {
            let all: Vec<_> = LANGUAGES.iter().map(|known| known.name).collect();
            error.suggest(format!("Leave `language` out, or use one of: {}.", all.join(", ")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_have_languages() {
        for (path, language) in [
            ("src/main.rs", "rust"),
            ("a/b.tsx", "tsx"),
            ("a/b.d.ts", "typescript"),
            ("Makefile", "make"),
            ("x/Dockerfile", "docker"),
            ("README", "text"),
            ("rs", "rust"),
            ("a.unknown", "text"),
        ] {
            assert_eq!(Language::of_path(path).name, language, "{path}");
        }
    }

    #[test]
    fn arguments_name_languages() {
        for (name, answer) in [
            ("Rust", Ok("rust")),
            ("c++", Ok("cpp")),
            ("pyton", Err("Did you mean `python`?")),
            (" go ", Ok("go")),
        ] {
            let parsed = Language::parse(name).map(|language| language.name);
            match answer {
                Ok(expected) => assert_eq!(parsed.as_deref().ok(), Some(expected), "{name}"),
                Err(suggestion) => {
                    assert_eq!(parsed.expect_err(name).suggestion(), Some(suggestion), "{name}");
                }
            }
        }
    }
}
