// The C interface of tiles that convert; `tile_conversion/sys.rs` is the other side of it.

#include <cstring>

#include "tile.h"

// The build script writes it: it includes the models' headers and lists them as TILE(class, label).
#include "tiles.h"

using ringmill::TileMachine;
using ringmill::TileModel;

extern "C" {

/// A machine after reset, or null if there is none of this label in this build.
TileMachine* ringmill_tile_new(const char* label, std::size_t length) noexcept {
#define TILE(model, text) \
  if (length == sizeof(text) - 1 && std::memcmp(label, text, length) == 0) return new TileModel<model>();
  TILES
#undef TILE
  return nullptr;
}

void ringmill_tile_delete(TileMachine* machine) noexcept { delete machine; }

int ringmill_tile_write(TileMachine* machine, std::uint32_t target, std::uint32_t tile, std::uint32_t address,
                        std::uint32_t mask, const std::uint32_t* words) noexcept {
  return machine->write(target, tile, address, mask, words);
}

int ringmill_tile_read(TileMachine* machine, std::uint32_t tile, std::uint32_t address, std::uint32_t* words) noexcept {
  return machine->read(tile, address, words);
}

int ringmill_tile_run(TileMachine* machine, std::uint32_t length, std::uint64_t* cycles) noexcept {
  return machine->run(length, cycles);
}

std::uint64_t ringmill_tile_cycles(const TileMachine* machine) noexcept { return machine->cycles(); }

}  // extern "C"
