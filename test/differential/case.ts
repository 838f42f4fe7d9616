/**
 * A case: requests that are sent to both servers one after the other. It is data, so that it can be shrunk and printed.
 * Paths, headers and bodies may hold placeholders, which are filled in anew at every execution:
 *
 *   <name>        a name that no other execution uses; <plain> the same without hyphens, <octet> two octets of an address
 *   <namespace>   the namespace of the run
 *   <rv> <uid>    of the object that this server answered with last
 *   <continue>    of the list that this server answered with last
 *   <token>       of the TokenRequest that this server answered with last
 *   <hooks>       the URL below which this execution's hooks are served: <hooks>/NAME; <port> the port of it
 *   <ca>          the CA of the hooks, as a caBundle
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
  /** Repeated until the answer has this code: the server has noticed what came before. Not compared, nor its calls. */
  readonly until?: number
  /** What follows makes no sense when this is refused. */
  readonly needed?: boolean
  /** Milliseconds before it is sent, for what no answer tells. */
  readonly pause?: number
}

/** How the tool's own server answers a call: as a webhook, a converter or an aggregated API. */
export interface Hook {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** `<request>` stands for the uid of the review that was sent, `<version>` for its apiVersion. */
  readonly body?: Json
  readonly text?: string
  /** Milliseconds before the answer. */
  readonly delay?: number
  /** The connection is closed in place of an answer. */
  readonly cut?: boolean
  /** Answers a ConversionReview; `body` is merged over the proper answer. */
  readonly converts?: boolean
}

export interface Case {
  /** Which generator made it: `create`, `apply` … */
  readonly family: string
  /** `pods`, `deployments.apps/v1/status`. */
  readonly resource: string
  readonly steps: readonly Step[]
  /** Removed afterwards from both servers: paths. */
  readonly cleanup: readonly string[]
  /** By the name in `<hooks>/NAME`; `api` answers for the aggregated group `<plain>.example.com`. */
  readonly hooks?: Readonly<Record<string, Hook>>
  /** Compares what both servers record of the steps, too. */
  readonly audited?: boolean
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

/** The name of the hook and of the policy that tell that a server has noticed what was written before them. */
export const sentinel = 'sentinel'

/** The name of the hook that converts. */
export const converter = 'c'
