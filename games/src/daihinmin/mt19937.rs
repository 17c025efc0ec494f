//! The Mersenne Twister MT19937 with the draws that the official server makes.
//!
//! Source: M. Matsumoto and T. Nishimura, "Mersenne Twister: a 623-dimensionally equidistributed
//! uniform pseudo-random number generator", ACM TOMACS 8 (1998) 3-30, with the 2002
//! initialisation (`init_genrand`).

const N: usize = 624;
const M: usize = 397;

/// The generator's state.
#[derive(Clone)]
pub struct Mt19937 {
    state: [u32; N],
    index: usize,
}

impl Mt19937 {
    /// The generator that `init_genrand(seed)` makes.
    pub fn new(seed: u32) -> Mt19937 {
        let mut state = [0_u32; N];
        state[0] = seed;
        for i in 1..N {
            let previous = state[i - 1];
            state[i] = 1_812_433_253_u32
                .wrapping_mul(previous ^ (previous >> 30))
                .wrapping_add(i as u32);
        }
        Mt19937 { state, index: N }
    }

    /// The next 32 random bits.
    pub fn next_u32(&mut self) -> u32 {
        if self.index == N {
            for i in 0..N {
                let y = (self.state[i] & 0x8000_0000) | (self.state[(i + 1) % N] & 0x7FFF_FFFF);
                let odd = if y & 1 == 0 { 0 } else { 0x9908_B0DF };
                self.state[i] = self.state[(i + M) % N] ^ (y >> 1) ^ odd;
            }
            self.index = 0;
        }
        let mut y = self.state[self.index];
        self.index += 1;
        y ^= y >> 11;
        y ^= (y << 7) & 0x9D2C_5680;
        y ^= (y << 15) & 0xEFC6_0000;
        y ^ (y >> 18)
    }

    /// A number in [0, 1], both ends included (`genrand_real1`).
    pub fn next_real1(&mut self) -> f64 {
        f64::from(self.next_u32()) * (1.0 / 4_294_967_295.0)
    }
}

impl std::fmt::Debug for Mt19937 {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Mt19937")
            .field("index", &self.index)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::Mt19937;

    #[test]
    fn known_values_of_seed_5489() {
        // The first output and the 10,000th are fixed by the C++ standard ([rand.predef]).
        let mut mt = Mt19937::new(5489);
        assert_eq!(mt.next_u32(), 3_499_211_612);
        let last = (1..10_000).map(|_| mt.next_u32()).last();
        assert_eq!(last, Some(4_123_659_995));
    }
}
