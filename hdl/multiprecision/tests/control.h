// The fields of mac_control_t as the bits of a port.

#pragma once

namespace multiprecision {

struct Control {
  bool valid = false, first = false, last = false, opening = false, whole = false;

  unsigned bits() const { return valid << 4 | first << 3 | last << 2 | opening << 1 | unsigned{whole}; }
};

}  // namespace multiprecision
