/// What a level does.
#[derive(Clone, Copy, PartialEq)]
pub enum Shape {
    /// Products of neighbours.
    Tower,
    /// SIMON's round: a half of four values is made anew, each of a product of two neighbours and two terms.
    Feistel,
    /// Products of sums that share a term.
    Sums,
    /// Squares.
    Squares,
    /// Products of a value with its sum with a neighbour.
    NearSquares,
    /// Products of neighbours, each followed by a linear map of three automorphisms, as AES has them.
    Maps,
}

/// The values that are added up to the factors of a product, and to what is added to it.
pub type Operands = [Vec<usize>; 3];

/// Products of a level.
pub const PRODUCTS: usize = 4;

impl Shape {
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "tower" => Self::Tower,
            "feistel" => Self::Feistel,
            "sums" => Self::Sums,
            "squares" => Self::Squares,
            "near-squares" => Self::NearSquares,
            "maps" => Self::Maps,
            _ => return None,
        })
    }

    /// Values of a level.
    pub fn width(self) -> usize {
        match self {
            Self::Feistel => 2 * PRODUCTS,
            _ => PRODUCTS,
        }
    }

    /// Bits of q for each level. In the BGV form levels are 16 bits apart, and one of them is just not enough, so that
    /// products use up two.
    pub fn bits_a_level(self, bgv: bool) -> f64 {
        match self {
            _ if bgv => 34.0,
            Self::Sums => 25.0,
            _ => 18.0,
        }
    }

    /// The automorphisms whose images are added up after a product. A sum of three powers of 2 leaves bits as they are.
    pub fn exponents(self) -> &'static [u64] {
        match self {
            Self::Maps => &[2, 4, 8],
            _ => &[],
        }
    }

    /// Those of product i.
    pub fn operands(self, i: usize) -> Operands {
        let next = |step| (i + step) % PRODUCTS;
        match self {
            Self::Tower | Self::Maps => [vec![i], vec![next(1)], vec![]],
            Self::Feistel => [vec![next(1)], vec![next(2)], vec![next(3), PRODUCTS + i]],
            Self::Sums => [vec![i, next(2)], vec![next(1), next(2)], vec![]],
            Self::Squares => [vec![i], vec![i], vec![]],
            Self::NearSquares => [vec![i], vec![i, next(1)], vec![]],
        }
    }
}
