/** TracingConfiguration: where spans are sent and how many of them. */
import { type FieldError, invalid } from '../../api/field-error.ts'
import { hasChange } from '../../api/release-changes.ts'
import { type ConfigurationDecoder, int32, optional, stringDecoder, struct } from './decoder.ts'
import { decoding, throwFieldErrors } from './field-problems.ts'
import { decodeDocument } from './versioned-document.ts'

export interface TracingConfiguration {
  /** A gRPC target; undefined for `localhost:4317`. */
  readonly endpoint: string | undefined
  /** Undefined follows the decision of the parent span and otherwise samples nothing. */
  readonly samplingRatePerMillion: number | undefined
}

const decoder: ConfigurationDecoder<TracingConfiguration> = struct('v1beta1.TracingConfiguration', {
  endpoint: optional(stringDecoder),
  samplingRatePerMillion: optional(int32),
})

const apiVersions = ['apiserver.config.k8s.io/v1beta1', 'apiserver.config.k8s.io/v1alpha1', 'apiserver.k8s.io/v1beta1']
const kind = {
  kind: 'TracingConfiguration',
  apiVersions,
  decoder,
}
const laterKind = { ...kind, apiVersions: ['apiserver.config.k8s.io/v1', ...apiVersions] }

/** Throws a ConfigFileError. */
export function readTracingConfiguration(text: string, file: string, release: number): TracingConfiguration {
  const prefix = 'failed to read tracing config: unable to decode tracing configuration data: '
  const present = hasChange(release, 'laterConfigurations') ? laterKind : kind
  const config = decoding(file, prefix, () => decodeDocument(text, present))
  throwFieldErrors(file, validate(config), { prefix: 'failed to validate tracing configuration: ', release })
  return config
}

const million = 1_000_000
const schemes: ReadonlySet<string> = new Set(['dns', 'unix', 'unix-abstract'])

function validate({ endpoint, samplingRatePerMillion: rate }: TracingConfiguration): FieldError[] {
  const errors: FieldError[] = []
  if (rate !== undefined && rate < 0)
    errors.push(invalid('samplingRatePerMillion', rate, 'sampling rate must be positive'))
  if (rate !== undefined && rate > million) {
    const why = 'sampling rate per million must be less than or equal to one million'
    errors.push(invalid('samplingRatePerMillion', rate, why))
  }
  if (endpoint?.includes('//')) {
    const scheme = /^([a-zA-Z][a-zA-Z0-9+.-]*):/.exec(endpoint)?.[1] ?? ''
    if (!schemes.has(scheme)) {
      const why = `unsupported scheme: ${scheme}.  Options are none, dns, unix, or unix-abstract.  See https://github.com/grpc/grpc/blob/master/doc/naming.md`
      errors.push(invalid('endpoint', endpoint, why))
    }
  }
  return errors
}
