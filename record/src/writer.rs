//! Writing a record.

use std::io::{self, Write};

use super::event::{Event, What};
use super::header::Header;

/// Writes a record line by line.
///
/// The header is written at once. The lines of a game, which are bounded by [`MOST_PLIES`](games::Game::MOST_PLIES), are kept
/// back until its [`What::End`], so that the file never says more of a running game than its players know;
/// then they are written and flushed together. Outside a game every line is written at once.
/// A writer that is dropped writes what it has kept back: the match is over then. Lines whose writing fails are not
/// written again: `out` may have any part of them.
#[derive(Debug)]
pub struct RecordWriter<W: Write> {
    out: W,
    held: Vec<u8>,
    in_game: bool,
}

impl<W: Write> RecordWriter<W> {
    /// Begins a record.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn new(out: W, header: &Header) -> io::Result<RecordWriter<W>> {
        let mut writer = RecordWriter {
            out,
            held: Vec::new(),
            in_game: false,
        };
        serde_json::to_writer(&mut writer.held, header)?;
        writer.held.push(b'\n');
        writer.release()?;
        Ok(writer)
    }

    /// Adds a line.
    ///
    /// # Errors
    /// Those of the writer below, when a game ends.
    pub fn event(&mut self, event: &Event) -> io::Result<()> {
        serde_json::to_writer(&mut self.held, event)?;
        self.held.push(b'\n');
        match event.what {
            What::Begin { .. } => self.in_game = true,
            What::End { .. } | What::Result { .. } => self.in_game = false,
            _ => {}
        }
        if self.in_game { Ok(()) } else { self.release() }
    }

    /// Forgets the lines that are kept back: the game in play is to go on elsewhere.
    pub fn discard(&mut self) {
        self.held.clear();
    }

    fn release(&mut self) -> io::Result<()> {
        let written = self.out.write_all(&self.held);
        self.held.clear();
        written?;
        self.out.flush()
    }
}

impl<W: Write> Drop for RecordWriter<W> {
    fn drop(&mut self) {
        // A drop cannot report an error; `event` has reported those that matter.
        let _ = self.release();
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::rc::Rc;

    use super::*;
    use crate::{EndKind, Player};
    use games::GameName;

    #[derive(Clone, Debug, Default)]
    struct Shared(Rc<RefCell<Vec<u8>>>);

    impl Write for Shared {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.borrow_mut().extend_from_slice(bytes);
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl Shared {
        fn text(&self) -> String {
            String::from_utf8(self.0.borrow().clone()).unwrap()
        }
    }

    #[test]
    fn a_running_game_is_not_in_the_file() {
        let file = Shared::default();
        let header = Header::new(
            GameName::Daihinmin,
            "m1",
            "uecda",
            vec![Player::default(); 5],
            1,
        );
        let mut writer = RecordWriter::new(file.clone(), &header).unwrap();
        let begin = What::Begin {
            game: 1,
            seats: vec![0, 1, 2, 3, 4],
            ranks: None,
            hands: vec!["S3".to_owned(); 5],
            position: None,
        };
        writer.event(&begin.at(1)).unwrap();
        writer.event(&What::play(0, "S3").at(2)).unwrap();
        assert_eq!(file.text().lines().count(), 1);
        assert!(!file.text().contains("S3"));
        let end = What::End {
            game: 1,
            places: vec![0, 1, 2, 3, 4],
            points: vec![5.0, 4.0, 3.0, 2.0, 1.0],
            game_points: Vec::new(),
            kinds: vec![EndKind::Normal; 5],
            rule: None,
        };
        writer.event(&end.at(3)).unwrap();
        assert_eq!(file.text().lines().count(), 4);
        writer.event(&What::play(0, "S3").at(2)).unwrap();
        assert_eq!(file.text().lines().count(), 5);
    }

    /// Takes a byte of the first write, and then fails once.
    #[derive(Debug)]
    struct Fails(Shared, u32);

    impl Write for Fails {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.1 += 1;
            match self.1 {
                1 => self.0.write(&bytes[..1]),
                2 => Err(io::ErrorKind::StorageFull.into()),
                _ => self.0.write(bytes),
            }
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn lines_that_failed_are_not_written_again() {
        let file = Shared::default();
        let header = Header::new(GameName::Daihinmin, "m1", "uecda", Vec::new(), 1);
        let failed = RecordWriter::new(Fails(file.clone(), 0), &header).unwrap_err();
        assert_eq!(failed.kind(), io::ErrorKind::StorageFull);
        assert_eq!(file.text(), "{");
        let mut writer = RecordWriter::new(Fails(file.clone(), 2), &header).unwrap();
        let before = file.text();
        writer.out.1 = 0;
        assert!(writer.event(&What::play(0, "S3").at(2)).is_err());
        drop(writer);
        assert_eq!(file.text(), before + "{");
    }

    fn begin() -> What {
        What::Begin {
            game: 1,
            seats: Vec::new(),
            ranks: None,
            hands: Vec::new(),
            position: None,
        }
    }

    #[test]
    fn a_game_that_goes_on_elsewhere_is_not_in_the_file() {
        let file = Shared::default();
        let header = Header::new(GameName::Daihinmin, "m1", "uecda", Vec::new(), 1);
        let mut writer = RecordWriter::new(file.clone(), &header).unwrap();
        writer.event(&begin().at(1)).unwrap();
        writer.discard();
        drop(writer);
        assert_eq!(file.text().lines().count(), 1);
    }

    #[test]
    fn a_dropped_writer_leaves_what_it_knew() {
        let file = Shared::default();
        let header = Header::new(GameName::Daihinmin, "m1", "uecda", Vec::new(), 1);
        let mut writer = RecordWriter::new(file.clone(), &header).unwrap();
        writer.event(&begin().at(1)).unwrap();
        drop(writer);
        assert_eq!(file.text().lines().count(), 2);
    }
}
