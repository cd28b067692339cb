//! The picture of a run, redrawn in place while it runs.

use std::io::{self, Write};
use std::time::Duration;

use crossterm::cursor::{Hide, MoveToPreviousLine, Show};
use crossterm::queue;
use crossterm::terminal::{self, Clear, ClearType};

use crate::cli::picture::{Picture, window};
use crate::moment::Clock;
use crate::run::{Events, RunClock};

/// Time between two redraws: a spinner looks alive, and a terminal over a slow line keeps up.
const REDRAW_EVERY: Duration = Duration::from_millis(80);

/// Draws until the events end. The picture is wiped away then; the summary draws its last state.
pub(super) async fn show(events: &mut Events, picture: &mut Picture, colour: bool) {
    let mut screen = Screen { rows: 0, stdout: io::stdout() };
    let clock = RunClock::start();
    let mut timer = tokio::time::interval(REDRAW_EVERY);
    timer.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Skip);
    let mut frame = 0;
    loop {
        tokio::select! {
            event = events.next() => match event {
                Some(event) => picture.take(&event),
                None => break,
            },
            _ = timer.tick() => {
                frame += 1;
                let (width, height) = terminal::size().unwrap_or((80, 24));
                let lines = picture.lines(clock.now(), frame);
                // The last row is left free: writing into it would scroll the picture.
                let rows = window(&lines, usize::from(height).saturating_sub(1), usize::from(width), colour);
                screen.draw(&rows);
            }
        }
    }
}

/// The rows that are drawn. Dropping it wipes them away and gives the cursor back.
struct Screen {
    rows: u16,
    stdout: io::Stdout,
}

impl Screen {
    fn draw(&mut self, rows: &[String]) {
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

    fn back(&mut self) -> io::Result<()> {
        if self.rows > 0 {
            queue!(self.stdout, MoveToPreviousLine(self.rows))?;
        }
        Ok(())
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        let _ = self.back();
        let _ = queue!(self.stdout, Clear(ClearType::FromCursorDown), Show);
        let _ = self.stdout.flush();
    }
}
