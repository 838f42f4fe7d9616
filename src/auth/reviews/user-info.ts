/** A user as reviews show it and as they take it. */
import { isJsonObject, type JsonObject } from '../../api/json.ts'
import type { UserInfo } from '../../api/user.ts'

/** In wire order; what is empty is left out; extra keys in the order of the alphabet. */
export function userToJson({ name, uid = '', groups, extra }: UserInfo): JsonObject {
  const keys = [...extra.keys()].sort()
  return {
    ...(name === '' ? {} : { username: name }),
    ...(uid === '' ? {} : { uid }),
    ...(groups.length > 0 ? { groups: [...groups] } : {}),
    ...(keys.length > 0 ? { extra: Object.fromEntries(keys.map((key) => [key, [...(extra.get(key) ?? [])]])) } : {}),
  }
}

const strings = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : []

/** The user of a SubjectAccessReview spec; keys of extra are taken in lower case, as authenticators give them. */
export function userOfSpec(spec: JsonObject): UserInfo {
  const { user, uid } = spec
  const extra = isJsonObject(spec['extra']) ? spec['extra'] : {}
  return {
    name: typeof user === 'string' ? user : '',
    ...(typeof uid === 'string' && uid !== '' ? { uid } : {}),
    groups: strings(spec['groups']),
    extra: new Map(Object.entries(extra).map(([key, values]) => [key.toLowerCase(), strings(values)])),
  }
}
