/** The class that objects get which name none: of those marked as default the newest, then the first by name. */
import type { KubeObject } from '../api/object.ts'

export function newestDefault<T extends KubeObject>(
  classes: Iterable<T>,
  annotations: readonly string[],
): T | undefined {
  let best: T | undefined
  for (const each of classes) {
    const { metadata } = each
    if (!annotations.some((name) => metadata.annotations?.[name] === 'true')) continue
    if (best === undefined || isBefore(each, best)) best = each
  }
  return best
}

function isBefore({ metadata: a }: KubeObject, { metadata: b }: KubeObject): boolean {
  const [newer, older] = [a.creationTimestamp ?? '', b.creationTimestamp ?? '']
  return newer === older ? (a.name ?? '') < (b.name ?? '') : newer > older
}
