/// How words travel between the epochs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Network {
    /// Clusters of tiles on a ring with a channel for each word that a cluster reads at once (algorithms 3
    /// and 4 of the paper). The words come into another buffer than they were in.
    Ring,
    /// In cycle c tile j sends a word to tile j XOR c. Every tile keeps word k of tile j at address k XOR j,
    /// so that all use the same addresses.
    Transposer,
}

/// What the network takes at once: a pair of words from each tile.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Packet {
    /// Transposer: the words at the addresses 2p and 2p + 1 of each tile, in two cycles.
    Pair(usize),
    /// Ring: words for tiles of the same cluster; the iteration of algorithm 3.
    Near(usize),
    /// Ring: words for the tiles 2p and 2p + 1 of another cluster (algorithm 4).
    Far {
        /// The number of clusters to go.
        distance: usize,
        /// The number p.
        packet: usize,
    },
}

/// A pair of words that a tile takes from the network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Taken {
    /// Half of the address of the first word.
    pub pair: usize,
    /// The tiles that the words come from.
    pub from: [usize; 2],
}

/// The clusters of a ring of T = 2^t tiles: the paper's sizes with t = 8 and 4 (it has a cluster for each two
/// channels).
#[derive(Debug, Clone, Copy)]
pub(super) struct Clusters {
    pub(super) tiles: usize,
    /// The tiles of a cluster.
    pub(super) members: usize,
}

impl Clusters {
    pub(super) const fn new(log_tiles: u32) -> Self {
        Self {
            tiles: 1 << log_tiles,
            members: 1 << (log_tiles / 2 - 1),
        }
    }

    /// The number of clusters.
    pub(super) const fn count(&self) -> usize {
        self.tiles / self.members
    }

    /// The number of packets for a cluster, and of pairs of its tiles.
    pub(super) const fn packets(&self) -> usize {
        self.members / 2
    }

    /// The packets of an exchange, with the steps in which the tiles take each: after its load and its hops.
    pub(super) fn packets_in_order(&self) -> impl Iterator<Item = (Packet, usize)> + use<> {
        let packets = self.packets();
        let far = (1..self.count())
            .flat_map(move |distance| (0..packets).map(move |packet| Packet::Far { distance, packet }));
        let near = (0..packets).map(|iteration| (Packet::Near(iteration), 1));
        near.chain(far.map(move |packet| (packet, packets)))
    }

    /// Half of the address of the pair that a tile sends.
    pub(super) const fn sent(&self, tile: usize, packet: Packet) -> usize {
        let (cluster, own) = (tile / self.members, tile % self.members / 2);
        match packet {
            Packet::Pair(pair) => pair,
            Packet::Near(iteration) => cluster * self.packets() + (iteration ^ own),
            Packet::Far { distance, packet } => (cluster + distance) % self.count() * self.packets() + packet,
        }
    }

    /// The pair that a tile takes in a step, if it is for this tile.
    pub(super) fn taken(&self, tile: usize, packet: Packet, step: usize) -> Option<Taken> {
        let (cluster, own) = (tile / self.members, tile % self.members / 2);
        let (source, group) = match packet {
            Packet::Pair(_) => return None,
            Packet::Near(iteration) => (cluster, iteration ^ own),
            Packet::Far { packet, .. } if packet != own => return None,
            Packet::Far { distance, .. } => ((cluster + self.count() - distance) % self.count(), step),
        };
        let first = source * self.members + 2 * group;
        Some(Taken {
            pair: first / 2,
            from: [first, first + 1],
        })
    }
}

impl Packet {
    /// The hops on the ring.
    pub(super) const fn hops(self) -> usize {
        match self {
            Self::Pair(_) | Self::Near(_) => 0,
            Self::Far { distance, .. } => distance,
        }
    }
}
