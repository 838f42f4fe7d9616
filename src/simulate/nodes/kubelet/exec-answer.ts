/** What a command in a simulated container answers: what the script says, what simple commands do, or that nothing runs. */
import type { Container } from '../../../catalog/types/core-v1.ts'
import type { Pod } from '../../objects.ts'
import { execLife } from '../script/command.ts'
import { globMatches } from '../script/pod-pattern.ts'
import type { ExecAnswer } from '../script/pod-script.ts'
import type { PodScripts } from '../script/pod-scripts.ts'

export interface Executed {
  readonly stdout: string
  readonly stderr: string
  readonly exitCode: number
  /** After so long; infinite: when the client goes. */
  readonly ms: number
}

const notFoundExitCode = 127

interface Target {
  readonly pod: Pod
  readonly container: Container
}

export const execAnswer = (scripts: PodScripts, target: Target, command: readonly string[]): Executed =>
  scriptedAnswer(scripts, target, command) ?? commandAnswer(target, command)

/** As `execAnswer`, of a line that is written to a shell. */
export function lineAnswer(scripts: PodScripts, target: Target, line: string): Executed {
  const words = line.split(/\s+/)
  const scripted = scriptedAnswer(scripts, target, words)
  if (scripted !== undefined) return scripted
  const answer = commandAnswer(target, ['sh', '-c', line])
  return answer.exitCode === notFoundExitCode ? commandAnswer(target, words) : answer
}

/** What the script says to this command; undefined: nothing. */
export function scriptedAnswer(scripts: PodScripts, target: Target, command: readonly string[]): Executed | undefined {
  const scripted = scriptedExec(scripts, target, command)
  if (scripted === undefined) return undefined
  const { stdout = '', stderr = '', exitCode = 0 } = scripted
  return { stdout, stderr, exitCode, ms: 0 }
}

function commandAnswer({ pod, container }: Target, command: readonly string[]): Executed {
  const life = execLife(pod, container, command)
  if (life !== undefined) return { stdout: life.output, stderr: '', exitCode: life.exitCode, ms: life.ms }
  const { namespace = '', name = '' } = pod.metadata
  const stderr = `Container ${container.name} of pod ${namespace}/${name} is simulated: nothing runs in it, so ${JSON.stringify(command[0] ?? '')} was not run.\n`
  return { stdout: '', stderr, exitCode: notFoundExitCode, ms: 0 }
}

/** By the whole command, its first word without its folder, or `*`. */
function scriptedExec(
  scripts: PodScripts,
  { pod, container }: Target,
  command: readonly string[],
): ExecAnswer | undefined {
  const [first = ''] = command
  const names = [command.join(' '), first, first.slice(first.lastIndexOf('/') + 1), '*']
  for (const { script } of [...scripts.scriptsOf(pod)].reverse()) {
    const { exec } = script
    if (exec === undefined || !globMatches(script.container ?? '*', container.name)) continue
    const name = names.find((each) => Object.hasOwn(exec, each))
    if (name !== undefined) return exec[name]
  }
  return undefined
}
