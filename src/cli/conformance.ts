/** `pilothouse conformance`: plays the conformance suite against any server and reports where its answers differ. */

import { servedMajor, servedMinor } from '../api/release.ts'
import { defaultRelease, newestRelease } from '../api/release-facts.ts'
import { ConfigError } from '../config/config-error.ts'
import { Connection } from '../conformance/connection.ts'
import { describeStepFailure, hasPassed, type ReportFormat, report, reportFormats } from '../conformance/report.ts'
import { areasOf, runSuite, suiteFolder } from '../conformance/suite.ts'
import { readKubeconfig, type WebhookConnection } from '../outbound/kubeconfig.ts'
import { readArguments, type Tool } from './tool.ts'

const usage = `Plays requests against a server and compares each answer with what kube-apiserver v${servedMajor}.${servedMinor} gave, or with what the
specification says where it stands above that. Objects are made and deleted, cluster-wide ones, too: use a server that
nobody needs.

Usage:
  pilothouse conformance --kubeconfig FILE [--release 1.N] [--gates] [--area NAME,…] [--focus REGEX] [--jobs N] [-o text|json|junit]

  --kubeconfig FILE    the server, and an administrator of it (group system:masters)
  --release 1.N        the release whose answers are right (default 1.${servedMinor})
  --gates              what is behind gates of that release that are off: the server needs the flags in v1.N-gates/flags.txt
  --area NAME,…        some areas only; --list names them
  --focus REGEX        only scenarios whose name (AREA/NAME) matches
  --jobs N             scenarios at a time (default 4); those that look at the whole cluster always run alone
  --dir DIR            another folder of scenarios
  --record             takes this server's answers for right, and writes them down; what the specification decides stays
  --verbose            all differences of a step instead of the first few
  --list               the areas
  -o, --output FORMAT  text (default), json or junit

How the server must be started is in conformance/README.md.

Exit codes: 0 everything matches, 1 a mistake, 2 something differs.
`

const options = {
  kubeconfig: { type: 'string' },
  release: { type: 'string' },
  gates: { type: 'boolean' },
  area: { type: 'string' },
  focus: { type: 'string' },
  jobs: { type: 'string' },
  dir: { type: 'string' },
  record: { type: 'boolean' },
  verbose: { type: 'boolean' },
  list: { type: 'boolean' },
  output: { type: 'string', short: 'o' },
  help: { type: 'boolean', short: 'h' },
} as const

export const conformance: Tool = async (args, output) => {
  const { values, positionals } = readArguments(args, options)
  if (values.help === true) {
    output.print(usage)
    return 0
  }
  if (positionals.length > 0) throw new ConfigError(`unexpected argument ${JSON.stringify(positionals[0])}`)
  const folder = values.dir ?? suiteFolder()
  const areas = areasIn(folder, values.area)
  if (values.list === true) {
    output.print(`${areasOf(folder).join('\n')}\n`)
    return 0
  }
  const format = formatOf(values.output)
  const focus = focusOf(values.focus)
  const jobs = jobsOf(values.jobs)
  const connection = new Connection(connectionOf(values.kubeconfig))
  try {
    const results = await runSuite({
      folder,
      connection,
      release: releaseIn(values.release),
      isGated: values.gates === true,
      areas,
      ...(focus === undefined ? {} : { focus }),
      jobs,
      isRecording: values.record === true,
      onResult: (result) => {
        if (!hasPassed(result))
          (format === 'text' ? output.print : output.note)(describeStepFailure(result, values.verbose === true))
      },
    })
    if (results.length === 0) throw new ConfigError('no scenario has such a name')
    output.print(report(results, format))
    return results.every(hasPassed) ? 0 : 2
  } finally {
    connection.close()
  }
}

function areasIn(folder: string, given: string | undefined): readonly string[] {
  const areas = given === undefined ? [] : given.split(',')
  const known = areasOf(folder)
  const unknown = areas.find((area) => !known.includes(area))
  if (unknown !== undefined) throw new ConfigError(`--area must be one of ${known.join(', ')}, not ${unknown}`)
  return areas
}

function releaseIn(given = `${servedMajor}.${servedMinor}`): number {
  const release = Number(/^v?1\.(\d+)$/.exec(given)?.[1])
  if (release >= defaultRelease && release <= newestRelease) return release
  throw new ConfigError(`--release must be 1.${defaultRelease} to 1.${newestRelease}, not ${given}`)
}

function formatOf(given = 'text'): ReportFormat {
  const format = reportFormats.find((each) => each === given)
  if (format === undefined) throw new ConfigError(`--output must be ${reportFormats.join(', ')}, not ${given}`)
  return format
}

function focusOf(given: string | undefined): RegExp | undefined {
  try {
    return given === undefined ? undefined : new RegExp(given)
  } catch (error) {
    throw new ConfigError(`--focus: ${(error as Error).message}`)
  }
}

function jobsOf(given = '4'): number {
  const jobs = Number(given)
  if (!Number.isInteger(jobs) || jobs < 1 || jobs > 64) throw new ConfigError(`--jobs must be 1 to 64, not ${given}`)
  return jobs
}

function connectionOf(kubeconfig: string | undefined): WebhookConnection {
  if (kubeconfig === undefined) {
    throw new ConfigError('must specify --kubeconfig: the server to try, on which objects are made and deleted')
  }
  try {
    return readKubeconfig(kubeconfig)
  } catch (error) {
    throw new ConfigError((error as Error).message)
  }
}
