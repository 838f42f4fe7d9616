// Made by scripts/catalog.mjs. Do not edit.

/** The release of the reference whose behaviour is served. */
export const servedRelease = 'v1.33.13'
export const servedMajor = 1
export const servedMinor = 33

/** The releases after it that can be served, too, by their minor number. */
export const laterReleases: Readonly<Record<number, string>> = {
  34: 'v1.34.11',
  35: 'v1.35.8',
  36: 'v1.36.4',
}
