/** Who asks: the outcome of authentication and impersonation, immutable, and all that authorization knows of a person. */
export interface UserInfo {
  readonly name: string
  readonly uid?: string
  readonly groups: readonly string[]
  /** Keys are lower case; a map, because strangers choose them. */
  readonly extra: ReadonlyMap<string, readonly string[]>
}
