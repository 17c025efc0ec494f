//! Protocol versions.

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
