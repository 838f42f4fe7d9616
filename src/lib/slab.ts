/**
 * A slab allocator for short-lived buffers: allocating one costs more than filling a small one. A slice keeps its whole slab alive, so
 * nothing that is retained is allocated here.
 */
const pieceBytes = 32 * 1024
/** More than this is worth a buffer of its own. */
const longest = 8 * 1024

let piece = Buffer.alloc(0)
let used = 0

/** As `Buffer.allocUnsafe`: uninitialized. */
export function slabBuffer(length: number): Buffer {
  if (length > longest) return Buffer.allocUnsafeSlow(length)
  if (used + length > piece.length) {
    piece = Buffer.allocUnsafeSlow(pieceBytes)
    used = 0
  }
  const from = used
  used += length
  return piece.subarray(from, used)
}
