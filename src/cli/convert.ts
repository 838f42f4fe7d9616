/** `pilothouse convert`: objects in files, in another API version. Nothing is asked of any server. */
import { formatGroupVersion, type GroupVersion, parseGroupVersion } from '../api/group-version.ts'
import type { JsonObject } from '../api/json.ts'
import type { KubeObject } from '../api/object.ts'
import { formatTime, instantOfMillis } from '../api/time.ts'
import { defaultRelease } from '../catalog/releases.ts'
import { encodePrettyJson } from '../codec/json.ts'
import { encodeYaml } from '../codec/yaml-emitter.ts'
import { ConfigError } from '../config/config-error.ts'
import { resolveFeatureGates } from '../config/feature-gates.ts'
import { fromStoredDefinition, toStoredDefinition } from '../extensions/definitions/stored-definition.ts'
import { systemClock } from '../lib/clock.ts'
import { type ConversionSettings, convertObject, resourceOfKind } from '../resources/convert-object.ts'
import { type FoundObject, findObjects, readFileArguments, shownName } from './object-files.ts'
import { releaseArgument } from './release-argument.ts'
import type { Tool, ToolOutput } from './tool.ts'

const usage = `Objects in files, in another API version. Nothing is asked of any server.

Usage:
  pilothouse convert -f FILE|DIR|- [--output-version GROUP/VERSION] [--release 1.N] [-o yaml|json]

  -f, --filename NAME       a file, a folder (its .json, .yaml and .yml files) or - for the standard input; may be repeated
  -R, --recursive           folders of folders, too
  --output-version VERSION  such as networking.k8s.io/v1; without it, the version that each kind has today
  --release 1.N             the release whose versions are meant (default 1.${defaultRelease})
  -o, --output FORMAT       yaml (default) or json

One object is printed as it is, several as a List, in the order of the files. An object that the version does not have is
left out and told about; one of a kind that is not built in is printed unchanged.
`

const options = {
  release: { type: 'string' },
  'output-version': { type: 'string' },
  output: { type: 'string', short: 'o' },
  help: { type: 'boolean', short: 'h' },
} as const

export const convert: Tool = async (args, output) => {
  const { files, recursive, values } = readFileArguments(args, options)
  if (values.help === true) {
    output.print(usage)
    return 0
  }
  if (files.length === 0) throw new ConfigError('must specify -f: which files to convert')
  const format = String(values.output ?? 'yaml')
  if (format !== 'yaml' && format !== 'json') throw new ConfigError(`--output must be yaml or json, not ${format}`)
  const target = targetVersion(values['output-version'])
  const found = [...findObjects(files, recursive)]
  if (found.length === 0) throw new ConfigError('no objects passed to convert')
  const settings = conversionSettings(releaseArgument(values.release))
  const converted = found.flatMap((each) => convertOne(each, target, settings, output))
  if (converted.length === 0) return 1
  const result: JsonObject =
    found.length === 1
      ? (converted[0] as KubeObject)
      : { apiVersion: 'v1', items: converted, kind: 'List', metadata: {} }
  output.print(format === 'yaml' ? encodeYaml(result) : `${encodePrettyJson(result).trimEnd()}\n`)
  return 0
}

function targetVersion(text: string | boolean | undefined): GroupVersion | undefined {
  if (text === undefined || text === '') return undefined
  const version = parseGroupVersion(String(text))
  if (version === undefined) throw new ConfigError(`unexpected GroupVersion string: ${text}`)
  return version
}

/** Defaults as a release has them. */
export function conversionSettings(release: number): ConversionSettings {
  const gates = resolveFeatureGates(new Map(), { major: 1, minor: Math.max(release, defaultRelease) })
  return {
    release,
    defaulting: {
      enabled: (gate) => gates.enabled(gate),
      now: () => formatTime(instantOfMillis(systemClock.now())),
    },
    stored: {
      'customresourcedefinitions.apiextensions.k8s.io': {
        toStored: toStoredDefinition,
        fromStored: fromStoredDefinition,
      },
    },
  }
}

function convertOne(
  found: FoundObject,
  target: GroupVersion | undefined,
  settings: ConversionSettings,
  output: ToolOutput,
): JsonObject[] {
  const { file, apiVersion, kind, object } = found
  const say = (text: string): void => output.note(`${file}: ${kind} ${shownName(found)}: ${text}\n`)
  const resource = resourceOfKind(apiVersion, kind, settings.release)
  if (resource === undefined) {
    say(`${apiVersion} ${kind} is not built in and stays as it is`)
    return [object]
  }
  const result = convertObject(object as KubeObject, resource, target, settings)
  if (result.problem !== undefined) {
    say(`left out: ${result.problem}`)
    return []
  }
  for (const field of result.unknownFields) say(`${formatGroupVersion(resource)} has no field ${field}: left out`)
  return [result.object]
}
