/**
 * A case: requests that are sent to both servers one after the other. It is data, so that it can be shrunk and printed.
 * Paths and bodies may hold placeholders, which are filled in anew at every execution:
 *
 *   <name>       a name that no other execution uses; <plain> the same without hyphens, <octet> two octets of an address
 *   <namespace>  the namespace of the run
 *   <rv> <uid>   of the object that this server answered with last
 */
import type { Json } from './json.ts'

export interface Step {
  readonly method: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  /** Encoded by the content type: JSON, YAML or CBOR. */
  readonly body?: Json
  /** Sent as it is, in place of a body: text that is no JSON. */
  readonly text?: string
  /** Sends the bytes of the last answer back, with its content type. */
  readonly echo?: boolean
  /** The answer is a stream of events, which goes on while these steps run. */
  readonly during?: readonly Step[]
  readonly webSocket?: boolean
  /** Repeated until the object has kept its version for a while; its last state counts. */
  readonly settle?: boolean
  /** Repeated until both servers have taken notice of what came before; only the last answer counts. */
  readonly until?: number
}

export interface Case {
  /** Which generator made it: `create`, `apply` … */
  readonly family: string
  /** `pods`, `deployments.apps/v1/status`. */
  readonly resource: string
  readonly steps: readonly Step[]
  /** Removed afterwards from both servers: paths. */
  readonly cleanup: readonly string[]
}

export const contentTypes = {
  json: 'application/json',
  yaml: 'application/yaml',
  cbor: 'application/cbor',
  protobuf: 'application/vnd.kubernetes.protobuf',
  jsonPatch: 'application/json-patch+json',
  mergePatch: 'application/merge-patch+json',
  strategicPatch: 'application/strategic-merge-patch+json',
  applyPatch: 'application/apply-patch+yaml',
  applyPatchCbor: 'application/apply-patch+cbor',
} as const
