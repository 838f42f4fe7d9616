// Made by scripts/catalog.mjs. Do not edit.

/** The release of the reference whose behaviour is served. */
export const servedRelease = 'v1.33.13'
export const servedMajor = 1
export const servedMinor = 33
