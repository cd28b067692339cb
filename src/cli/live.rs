//! The picture of a run, redrawn in place while it runs.

use std::time::Duration;

use crossterm::terminal;

use crate::cli::picture::{Picture, window};
use crate::cli::stage::Stage;
use crate::moment::Clock;
use crate::run::{Events, RunClock};

/// Time between two redraws: a spinner looks alive, and a terminal over a slow line keeps up.
const REDRAW_EVERY: Duration = Duration::from_millis(80);

/// Draws until the events end. The picture is wiped away then; the summary draws its last state.
///
/// While somebody else has the stage, who asks a question on it, nothing is drawn.
pub(super) async fn show(events: &mut Events, picture: &mut Picture, colour: bool, stage: &Stage) {
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
                let Some(mut screen) = stage.try_take() else { continue };
                // A terminal that nobody has told its size says 0.
                let size = terminal::size().ok().filter(|(width, height)| *width > 0 && *height > 0);
                let (width, height) = size.unwrap_or((80, 24));
                let lines = picture.lines(clock.now(), frame);
                // The last row is left free: writing into it would scroll the picture.
                let rows = window(&lines, usize::from(height).saturating_sub(1), usize::from(width), colour);
                screen.draw(&rows);
            }
        }
    }
    stage.take().await.wipe();
}
