/**
 * Buffers that are soon thrown away, cut one after another from larger ones: making a buffer costs more than filling a
 * small one. What is held on to holds on to its whole piece, so nothing that stays is cut from here.
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
