//! The profile: the first message of a client.

use super::card_table::{COLUMNS, CardTable};

/// A version of the protocol that the official server speaks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Version {
    /// 20070, spoken by every client in use: 32-bit big-endian integers.
    #[default]
    V20070,
    /// 20060, the clients of 2006, which send no profile: the server's own byte order.
    V20060,
    /// 20140, undocumented: after the profile, tables are 33 hexadecimal digits.
    V20140,
}

impl Version {
    /// All versions.
    pub const ALL: [Version; 3] = [Version::V20070, Version::V20060, Version::V20140];

    /// The number that stands in the profile.
    pub const fn number(self) -> i32 {
        match self {
            Version::V20070 => 20070,
            Version::V20060 => 20060,
            Version::V20140 => 20140,
        }
    }

    /// The version with this number, if there is one.
    pub fn from_number(number: i32) -> Option<Version> {
        Version::ALL.into_iter().find(|v| v.number() == number)
    }

    /// Length of a table in bytes.
    pub const fn table_len(self) -> usize {
        match self {
            Version::V20070 | Version::V20060 => 480,
            Version::V20140 => 33,
        }
    }
}

/// Characters of a name that a server keeps. The official server keeps as many bytes.
pub const SERVER_NAME_LEN: usize = 9;
/// Bytes of a name that a profile has room for, the closing NUL left out.
pub const PROFILE_NAME_LEN: usize = COLUMNS - 1;

/// The version that a profile asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RequestedVersion {
    /// One that is spoken here.
    Known(Version),
    /// Another number. The official server sends such a client nothing at all.
    Unsupported(i32),
}

/// What a client says of itself before anything else. It is always sent as a table of version
/// 20070, whichever version it asks for; a client of version 20060 sends none.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Profile {
    /// The version that it wants to speak.
    pub version: RequestedVersion,
    /// Its name, without control characters: at most [`SERVER_NAME_LEN`] characters as read by a server, and
    /// [`PROFILE_NAME_LEN`] bytes as sent.
    pub name: String,
}

impl Profile {
    /// A profile that asks for `version`. Control characters of the name become `?`, and it is cut to whole characters of
    /// [`PROFILE_NAME_LEN`] bytes.
    pub fn new(version: Version, name: &str) -> Profile {
        let mut name: String = name.chars().map(printable).collect();
        name.truncate(name.floor_char_boundary(PROFILE_NAME_LEN));
        Profile {
            version: RequestedVersion::Known(version),
            name,
        }
    }

    /// Reads a profile as a server does: the name is UTF-8, a byte in each cell, and ends at the first NUL, whatever
    /// follows, or after [`SERVER_NAME_LEN`] characters. Control characters and bytes that are no UTF-8 become `?`; the
    /// beginning of a character at the end of the row is dropped. Every table is a profile.
    pub fn parse(table: &CardTable) -> Profile {
        let number = table.get(0, 0);
        let cells = table.row(1).iter().map(|&code| code as u8);
        let bytes: Vec<u8> = cells.take_while(|&byte| byte != 0).collect();
        let mut text = String::new();
        let mut chunks = bytes.utf8_chunks().peekable();
        while let Some(chunk) = chunks.next() {
            text.extend(chunk.valid().chars().map(printable));
            let is_cut = bytes.len() == COLUMNS
                && chunks.peek().is_none()
                && str::from_utf8(chunk.invalid()).is_err_and(|e| e.error_len().is_none());
            if !is_cut {
                text.extend(chunk.invalid().iter().map(|_| '?'));
            }
        }
        Profile {
            version: Version::from_number(number).map_or(
                RequestedVersion::Unsupported(number),
                RequestedVersion::Known,
            ),
            name: text.chars().take(SERVER_NAME_LEN).collect(),
        }
    }

    /// The profile as a table.
    pub fn to_table(&self) -> CardTable {
        let mut table = CardTable::default();
        let number = match self.version {
            RequestedVersion::Known(version) => version.number(),
            RequestedVersion::Unsupported(number) => number,
        };
        table.set(0, 0, number);
        for (cell, byte) in table
            .row_mut(1)
            .iter_mut()
            .zip(self.name.bytes().take(PROFILE_NAME_LEN))
        {
            *cell = i32::from(byte);
        }
        table
    }
}

/// The character, or `?` when it is one for controls.
fn printable(c: char) -> char {
    if c.is_control() { '?' } else { c }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn garbage_after_the_nul_is_dropped() {
        let mut table = CardTable::default();
        table.set(0, 0, 20070);
        for (column, byte) in b"d0\0ault".iter().enumerate() {
            table.set(1, column, i32::from(*byte));
        }
        let profile = Profile::parse(&table);
        assert_eq!(profile.version, RequestedVersion::Known(Version::V20070));
        assert_eq!(profile.name, "d0");
    }

    #[test]
    fn names_are_cut_and_sanitized() {
        let sent = Profile::new(Version::V20070, "a\u{7}b\u{3042}cdefghijklmnop");
        assert_eq!(sent.name, "a?bあcdefghij");
        let read = Profile::parse(&sent.to_table());
        assert_eq!(read.name, "a?bあcdefg");
        let mut table = sent.to_table();
        table.set(1, 0, -1);
        table.set(1, 1, 256 + 65);
        assert_eq!(Profile::parse(&table).name, "?Abあcdefg");
    }

    #[test]
    fn names_in_utf_8_are_kept() {
        let named = |bytes: &[u8]| {
            let mut table = CardTable::default();
            for (column, byte) in bytes.iter().enumerate() {
                table.set(1, column, i32::from(*byte));
            }
            Profile::parse(&table).name
        };
        assert_eq!(named("藤心".as_bytes()), "藤心");
        assert_eq!(
            Profile::new(Version::V20070, "藤心富士五湖").name,
            "藤心富士"
        );
        // Five characters fill the row; a sixth byte of one is cut off by it.
        assert_eq!(named("藤心富士五".as_bytes()), "藤心富士五");
        assert_eq!(named(&"x藤心富士五".as_bytes()[..COLUMNS]), "x藤心富士");
        assert_eq!(named("\u{1b}[2J\u{9b}\u{7}é".as_bytes()), "?[2J??é");
        // Shift JIS, and a character that ends too early.
        assert_eq!(named(b"\x93\xa1\x90\x53"), "???S");
        assert_eq!(named(b"\xe8\x97"), "??");
        assert_eq!(named(b"\xe8\x97a"), "??a");
    }

    #[test]
    fn other_versions_are_a_value() {
        let mut table = CardTable::default();
        table.set(0, 0, 20071);
        assert_eq!(
            Profile::parse(&table).version,
            RequestedVersion::Unsupported(20071)
        );
        assert_eq!(Profile::parse(&table).to_table(), table);
    }
}
