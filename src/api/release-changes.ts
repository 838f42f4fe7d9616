/**
 * What changed in code from release to release: the one table of it. Whatever a release says in data is in its facts
 * (`release-facts.ts`), and what a feature gate decides is asked of the gate; the rest has a name here, with the minor number of the
 * release that brought it. Rules ask for the name (`services.changed`), and nobody compares releases.
 */
export const releaseChanges = {
  /** Messages quote values in JSON instead of Go's syntax. Mirrors util/validation/field: Error.ErrorBody. */
  quotesJson: 34,
} as const satisfies Readonly<Record<string, number>>

export type ReleaseChange = keyof typeof releaseChanges

/** Whether the release of a minor number has a change. */
export const hasChange = (release: number, change: ReleaseChange): boolean => release >= releaseChanges[change]
