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

/// Characters of a name that the official server keeps.
pub const SERVER_NAME_LEN: usize = 9;
/// Characters of a name that a profile has room for, the closing NUL left out.
pub const PROFILE_NAME_LEN: usize = COLUMNS - 1;

/// The version that a profile asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Asked {
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
    pub version: Asked,
    /// Its name: printable ASCII, at most [`SERVER_NAME_LEN`] characters as read by a server, and
    /// [`PROFILE_NAME_LEN`] as sent.
    pub name: String,
}

impl Profile {
    /// A profile that asks for `version`. The name is sanitized and cut to
    /// [`PROFILE_NAME_LEN`] characters.
    pub fn new(version: Version, name: &str) -> Profile {
        Profile {
            version: Asked::Known(version),
            name: name.chars().map(printable).take(PROFILE_NAME_LEN).collect(),
        }
    }

    /// Reads a profile as the server does: the name ends at the first NUL, whatever follows, or
    /// after [`SERVER_NAME_LEN`] characters. Characters other than printable ASCII become `?`.
    /// Every table is a profile.
    pub fn parse(table: &CardTable) -> Profile {
        let number = table.get(0, 0);
        let cells = table.row(1).iter();
        Profile {
            version: Version::from_number(number).map_or(Asked::Unsupported(number), Asked::Known),
            name: cells
                .map(|&code| code as u8)
                .take_while(|&byte| byte != 0)
                .take(SERVER_NAME_LEN)
                .map(|byte| printable(char::from(byte)))
                .collect(),
        }
    }

    /// The profile as a table.
    pub fn to_table(&self) -> CardTable {
        let mut table = CardTable::default();
        let number = match self.version {
            Asked::Known(version) => version.number(),
            Asked::Unsupported(number) => number,
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

/// The character, or `?` when it is not printable ASCII.
fn printable(c: char) -> char {
    if c == ' ' || c.is_ascii_graphic() {
        c
    } else {
        '?'
    }
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
        assert_eq!(profile.version, Asked::Known(Version::V20070));
        assert_eq!(profile.name, "d0");
    }

    #[test]
    fn names_are_cut_and_sanitized() {
        let sent = Profile::new(Version::V20070, "a\u{7}b\u{3042}cdefghijklmnop");
        assert_eq!(sent.name, "a?b?cdefghijkl");
        let read = Profile::parse(&sent.to_table());
        assert_eq!(read.name, "a?b?cdefg");
        let mut table = sent.to_table();
        table.set(1, 0, -1);
        table.set(1, 1, 256 + 65);
        assert_eq!(Profile::parse(&table).name, "?Ab?cdefg");
    }

    #[test]
    fn other_versions_are_a_value() {
        let mut table = CardTable::default();
        table.set(0, 0, 20071);
        assert_eq!(Profile::parse(&table).version, Asked::Unsupported(20071));
        assert_eq!(Profile::parse(&table).to_table(), table);
    }
}
