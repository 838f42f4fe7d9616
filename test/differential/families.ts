/** Which cases a run makes, and how often. */
import {
  apply,
  type CaseGenerator,
  create,
  malformed,
  patch,
  paths,
  read,
  remove,
  removeCollection,
  roundTrip,
  subresource,
  update,
  watch,
} from './cases.ts'

export const families: readonly { readonly name: string; readonly weight: number; readonly generate: CaseGenerator }[] =
  [
    { name: 'create', weight: 20, generate: create },
    { name: 'update', weight: 20, generate: update },
    { name: 'subresource', weight: 14, generate: subresource },
    { name: 'patch', weight: 16, generate: patch },
    { name: 'apply', weight: 12, generate: apply },
    { name: 'delete', weight: 6, generate: remove },
    { name: 'deletecollection', weight: 3, generate: removeCollection },
    { name: 'read', weight: 10, generate: read },
    { name: 'roundtrip', weight: 4, generate: roundTrip },
    { name: 'watch', weight: 3, generate: watch },
    { name: 'malformed', weight: 6, generate: malformed },
    { name: 'paths', weight: 2, generate: paths },
  ]
