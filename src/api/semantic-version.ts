/** Semantic versions as semver.org spells them: `1.2.3-beta.1+build`. Their three numbers and what comes before a release are captured. */
const number = '(0|[1-9]\\d*)'
const preRelease = '(?:0|[1-9]\\d*|\\d*[A-Za-z-][0-9A-Za-z-]*)'
const build = '[0-9A-Za-z-]+'

export const semanticVersion: RegExp = new RegExp(
  `^${number}\\.${number}\\.${number}(?:-(${preRelease}(?:\\.${preRelease})*))?(?:\\+${build}(?:\\.${build})*)?$`,
)
