//! The terminal as a stage: one at a time draws or asks on it.

use std::io::{self, Write};
use std::sync::Arc;

use crossterm::cursor::{Hide, MoveToPreviousLine, Show};
use crossterm::queue;
use crossterm::terminal::{Clear, ClearType};
use tokio::sync::{Mutex, OwnedMutexGuard};

/// The stage. Clones are the same one. An async lock, for a person who is asked holds it for minutes.
#[derive(Clone)]
pub(super) struct Stage {
    screen: Arc<Mutex<Screen>>,
}

impl Stage {
    pub fn new() -> Self {
        Self { screen: Arc::new(Mutex::new(Screen { rows: 0, stdout: io::stdout() })) }
    }

    /// Waits until nobody else has it; first come, first served.
    pub async fn take(&self) -> OwnedMutexGuard<Screen> {
        self.screen.clone().lock_owned().await
    }

    pub fn try_take(&self) -> Option<OwnedMutexGuard<Screen>> {
        self.screen.clone().try_lock_owned().ok()
    }
}

/// The rows that are drawn. Dropping it wipes them away and gives the cursor back.
pub(super) struct Screen {
    rows: u16,
    stdout: io::Stdout,
}

impl Screen {
    pub fn draw(&mut self, rows: &[String]) {
        // A terminal that went away is no reason to end the run.
        let _ = self.try_draw(rows);
    }

    fn try_draw(&mut self, rows: &[String]) -> io::Result<()> {
        queue!(self.stdout, Hide)?;
        self.back()?;
        for row in rows {
            queue!(self.stdout, Clear(ClearType::CurrentLine))?;
            writeln!(self.stdout, "{row}")?;
        }
        queue!(self.stdout, Clear(ClearType::FromCursorDown))?;
        self.rows = u16::try_from(rows.len()).unwrap_or(u16::MAX);
        self.stdout.flush()
    }

    /// Wipes the rows away and gives the cursor back. A screen that was never drawn on says nothing.
    pub fn wipe(&mut self) {
        if self.rows > 0 {
            let _ = self.back();
            let _ = queue!(self.stdout, Clear(ClearType::FromCursorDown), Show);
            let _ = self.stdout.flush();
            self.rows = 0;
        }
    }

    fn back(&mut self) -> io::Result<()> {
        if self.rows > 0 {
            queue!(self.stdout, MoveToPreviousLine(self.rows))?;
        }
        Ok(())
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        self.wipe();
    }
}
