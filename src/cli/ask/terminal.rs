//! Where a question is asked.

use std::fs::File;
use std::io::{self, IsTerminal, Read, Write};

use async_trait::async_trait;
use rustix::fs::{Mode, OFlags};
use rustix::termios::{QueueSelector, tcflush, ttyname};
use tokio::io::unix::AsyncFd;

use crate::limits::ANSWER_BYTES_MAX;

/// A place with a person before it.
#[async_trait]
pub(in crate::cli) trait Terminal: Send + Sync {
    /// Shows a text.
    fn say(&self, text: &str) -> io::Result<()>;

    /// Forgets what was typed before the question was there to be read.
    fn forget(&self) -> io::Result<()>;

    /// The next line; `None` when nobody will type one any more.
    async fn line(&self) -> io::Result<Option<String>>;
}

/// Whether somebody can be asked: whoever reads the question can also answer it.
pub(in crate::cli) fn is_there() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// The terminal of standard input, opened once more: reading from it then can be given up, and
/// whoever else reads standard input does not notice. The question goes to standard error.
pub(in crate::cli) struct Tty {
    keys: AsyncFd<File>,
}

impl Tty {
    /// Opens it; wants the runtime around it.
    ///
    /// # Errors
    /// When standard input is no terminal, or it cannot be opened.
    #[expect(
        deprecated,
        reason = "its successor is unsafe, for types that may change their file; this one owns it"
    )]
    pub fn open() -> io::Result<Self> {
        let name = ttyname(io::stdin(), Vec::new())?;
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let file = File::from(rustix::fs::open(name, flags, Mode::empty())?);
        Ok(Self { keys: AsyncFd::new(file)? })
    }
}

#[async_trait]
impl Terminal for Tty {
    fn say(&self, text: &str) -> io::Result<()> {
        let mut stderr = io::stderr();
        stderr.write_all(text.as_bytes())?;
        stderr.flush()
    }

    fn forget(&self) -> io::Result<()> {
        Ok(tcflush(self.keys.get_ref(), QueueSelector::IFlush)?)
    }

    /// The terminal itself gives whole lines. One that is longer than any answer is cut, which makes
    /// it none.
    async fn line(&self) -> io::Result<Option<String>> {
        let mut buffer = [0; ANSWER_BYTES_MAX];
        loop {
            let mut ready = self.keys.readable().await?;
            match ready.try_io(|keys| keys.get_ref().read(&mut buffer)) {
                Ok(Ok(0)) => return Ok(None),
                Ok(Ok(read)) => return Ok(Some(String::from_utf8_lossy(&buffer[..read]).into_owned())),
                Ok(Err(fault)) if fault.kind() == io::ErrorKind::Interrupted => {}
                Ok(Err(fault)) => return Err(fault),
                Err(_not_ready) => {}
            }
        }
    }
}
