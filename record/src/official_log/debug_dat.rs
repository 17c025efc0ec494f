//! `debug.dat` and `debug2.dat`.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use games::daihinmin::SEATS;

use super::spaced;
use crate::{Event, What};

/// `debug.dat` and `debug2.dat`.
#[derive(Debug)]
pub struct DebugDat<W: Write> {
    points: W,
    places: W,
    total: [u64; SEATS],
}

impl DebugDat<BufWriter<File>> {
    /// Makes both files anew in a folder, as the official server does.
    ///
    /// # Errors
    /// When a file cannot be made.
    pub fn create(folder: &Path) -> io::Result<Self> {
        let file = |name| File::create(folder.join(name)).map(BufWriter::new);
        Ok(DebugDat::new(file("debug.dat")?, file("debug2.dat")?))
    }
}

impl<W: Write> DebugDat<W> {
    /// Writes the points so far to `points`, the places to `places`, a row for each game.
    pub fn new(points: W, places: W) -> DebugDat<W> {
        DebugDat {
            points,
            places,
            total: [0; SEATS],
        }
    }

    /// Takes the next event of the record.
    ///
    /// # Errors
    /// Those of the writers.
    pub fn event(&mut self, event: &Event) -> io::Result<()> {
        let What::End { places, points, .. } = &event.what else {
            return Ok(());
        };
        if places.is_empty() {
            return Ok(());
        }
        for (total, points) in self.total.iter_mut().zip(points) {
            *total += *points as u64;
        }
        writeln!(self.points, "{}", spaced(&self.total))?;
        writeln!(self.places, "{}", spaced(places))?;
        self.points.flush()?;
        self.places.flush()
    }
}
