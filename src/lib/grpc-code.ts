/** The status of the remote call that an error comes from; an error without one failed before a call was made. */
export function grpcCodeOf(error: unknown): string {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    if ('grpcCode' in at && typeof at.grpcCode === 'string') return at.grpcCode
  }
  return 'unknown-non-grpc'
}
