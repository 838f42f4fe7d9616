/** Who keeps the endpoints of the service `kubernetes`. */
import { ConfigError } from './config-error.ts'
import type { FlagValues } from './flags.ts'

const types = ['master-count', 'lease', 'none'] as const
export type EndpointReconcilerType = (typeof types)[number]

export interface EndpointOptions {
  readonly type: EndpointReconcilerType
  /** How many servers there are, for `master-count`. */
  readonly count: number
}

export function endpointOptions(flags: FlagValues): EndpointOptions {
  const given = flags.string('endpoint-reconciler-type')
  const type = types.find((each) => each === given)
  if (type === undefined) {
    throw new ConfigError(
      `--endpoint-reconciler-type must be ${types.slice(0, -1).join(', ')} or ${types.at(-1)}, not ${JSON.stringify(given)}`,
    )
  }
  const count = flags.number('apiserver-count')
  if (count <= 0) {
    throw new ConfigError(`--apiserver-count should be a positive number, but value '${count}' provided`)
  }
  return { type, count }
}
