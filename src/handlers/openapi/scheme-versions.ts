/**
 * Every group version that the reference's scheme knows at a release, served or not. Types that all of them share say to be of
 * each: DeleteOptions and WatchEvent.
 */
import type { GroupVersion } from '../../api/group-version.ts'
import { factText } from '../../api/release-facts.ts'
import { schemeVersionsText } from '../../catalog/data/scheme-versions.ts'

export const schemeVersions = (release: number): GroupVersion[] =>
  factText(release, 'scheme-versions.txt', schemeVersionsText)
    .trim()
    .split('\n')
    .map((line) => {
      const [group = '', version = ''] = line.split('/')
      return { group, version }
    })

const serverOnly: ReadonlySet<string> = new Set([
  'admission.k8s.io',
  'apiextensions.k8s.io',
  'apiregistration.k8s.io',
  'imagepolicy.k8s.io',
])

/** Those that clients know: what documents of custom resources are made with. */
export const clientSchemeVersions = (release: number): GroupVersion[] =>
  schemeVersions(release).filter(({ group }) => !serverOnly.has(group))
