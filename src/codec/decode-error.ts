/**
 * Bytes that are not what their content type says. The text is the reference's; the handler adds which kind was
 * expected and turns it into a 400. Nothing else is ever thrown by a decoder for bad input.
 */
export class DecodeError extends Error {
  override readonly name = 'DecodeError'
}
