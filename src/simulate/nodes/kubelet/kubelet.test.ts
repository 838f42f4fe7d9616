import { describe, expect, it } from 'vitest'
import type { Container } from '../../../catalog/types/core-v1.ts'
import type { Pod } from '../../objects.ts'
import { type ContainerRun, newRun } from '../pod-life/pod-run.ts'
import { readerOf } from '../script/command.ts'
import { PodScripts } from '../script/pod-scripts.ts'
import type { CommandStreams } from './command-session.ts'
import { loggedSince, logText, selectLog } from './container-log.ts'
import { ContainerProcesses } from './container-processes.ts'
import { execAnswer, lineAnswer } from './exec-answer.ts'
import { runCat, runShell } from './interactive-command.ts'
import { portAnswer } from './port-answers.ts'
import { CopiedFiles, packedPath, readTar, unpackFolder, writeTar } from './tar-files.ts'

const container: Container = { name: 'app', image: 'nginx', ports: [{ containerPort: 80 }], resources: {} }
const pod: Pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web', namespace: 'shop', uid: 'u1' },
  spec: { containers: [container] },
}
const scripted = (script: object) => {
  const scripts = new PodScripts()
  scripts.add({ pattern: {}, script, since: 0 })
  return scripts
}
const startedAt = Date.parse('2026-01-01T00:00:00Z')
const all = { previous: false, timestamps: false, tailLines: undefined, limitBytes: undefined, since: undefined }

describe('logs', () => {
  it('say what the script, the command or nobody says', () => {
    expect(logText(pod, container, scripted({ logs: ['a', 'b'] }))).toBe('a\nb\n')
    expect(logText(pod, { ...container, command: ['echo', 'hi'] }, new PodScripts())).toBe('hi\n')
    expect(logText(pod, container, new PodScripts())).toContain('is simulated')
    expect(logText(pod, container, scripted({ logs: 'x', container: 'other' }))).toContain('is simulated')
  })

  it.each([
    [{}, 'a\nb\nc\n'],
    [{ tailLines: 1 }, 'c\n'],
    [{ tailLines: 0 }, ''],
    [{ tailLines: 9 }, 'a\nb\nc\n'],
    [{ limitBytes: 3 }, 'a\nb'],
    [{ timestamps: true, tailLines: 1 }, '2026-01-01T00:00:00.000000000Z c\n'],
    [{ since: startedAt + 1 }, ''],
    [{ since: startedAt }, 'a\nb\nc\n'],
  ])('%j', (options, expected) => expect(selectLog('a\nb\nc\n', startedAt, { ...all, ...options })).toBe(expected))

  it('are those of an instance that ran', () => {
    const run = (state: ContainerRun) => ({ ...newRun(0, ''), containers: new Map([['app', state]]) })
    const last = { exitCode: 1, reason: 'Error', startedAt: 5, finishedAt: 6 }
    const running = run({ state: { kind: 'running', startedAt: 7 }, restarts: 1, last })
    expect(loggedSince(pod, running, { name: 'app', previous: false })).toBe(7)
    expect(loggedSince(pod, running, { name: 'app', previous: true })).toBe(5)
    expect(() => loggedSince(pod, newRun(0, ''), { name: 'app', previous: false })).toThrow(
      'container "app" in pod "web" is waiting to start: ContainerCreating',
    )
    expect(() => loggedSince(pod, newRun(0, ''), { name: 'app', previous: true })).toThrow(
      'previous terminated container',
    )
  })
})

it('commands answer what the script says, or that nothing runs', () => {
  const scripts = scripted({ exec: { 'cat /a': { stdout: 'A' }, cat: { stdout: 'other' }, '*': { exitCode: 4 } } })
  const run = (...command: string[]) => execAnswer(scripts, { pod, container }, command)
  expect(run('cat', '/a').stdout).toBe('A')
  expect(run('/bin/cat', '/b').stdout).toBe('other')
  expect(run('ls').exitCode).toBe(4)
  const plain = execAnswer(new PodScripts(), { pod, container }, ['ls'])
  expect(plain).toMatchObject({ exitCode: 127, stderr: expect.stringContaining('nothing runs in it') })
})

/** Streams whose client the test is. */
function terminal() {
  const state = { out: '', error: '', exitCode: undefined as number | undefined }
  let input: ((chunk: Buffer | undefined) => void) | undefined
  let gone = (): void => undefined
  const streams: CommandStreams = {
    stdout(chunk) {
      state.out += chunk.toString()
    },
    stderr(chunk) {
      state.error += chunk.toString()
    },
    onInput(listener) {
      input = listener
    },
    onGone(listener) {
      gone = listener
    },
    exit(exitCode) {
      state.exitCode = exitCode
    },
  }
  const write = (text: string): void => input?.(Buffer.from(text))
  return { state, streams, write, end: () => input?.(undefined), leave: () => gone() }
}

describe('commands that read', () => {
  const exitOf = ({ exitCode }: { exitCode: number | undefined }) => exitCode
  function shell(tty: boolean, scripts = new PodScripts()) {
    const client = terminal()
    const timers = new Set<() => void>()
    const clock = {
      setTimeout(fn: () => void) {
        timers.add(fn)
        return () => timers.delete(fn)
      },
    }
    runShell(client.streams, { clock, tty, answer: (line) => lineAnswer(scripts, { pod, container }, line) })
    /** Lets all the time pass that is waited for. */
    const wake = (): void => {
      for (const fn of [...timers]) if (timers.delete(fn)) fn()
    }
    return { ...client, wake }
  }

  it.each<[string[], string | undefined]>([
    [['cat'], 'cat'],
    [['/bin/cat', '-'], 'cat'],
    [['sh'], 'shell'],
    [['/bin/bash', '-il'], 'shell'],
    [['sh', '-c', 'echo a; read x'], 'script'],
    [['bash', '-ec', 'cat && echo over'], 'script'],
    [['sh', '-c', 'false && read x'], undefined],
    [['sh', '-c', 'echo'], undefined],
    [['cat', '/etc/hosts'], undefined],
    [['env'], undefined],
  ])('%j is one, or not', (command, kind) => expect(readerOf(pod, container, command)?.kind).toBe(kind))
  it('cat gives back what it is given', () => {
    const { state, streams, write, end } = terminal()
    runCat(streams)
    write('abcd')
    write('1234')
    expect([state.out, exitOf(state)]).toEqual(['abcd1234', undefined])
    end()
    expect(exitOf(state)).toBe(0)
  })
  it('a shell runs line by line, to its end or exit', () => {
    const { state, write, end } = shell(false, scripted({ exec: { date: { stdout: 'today\n' } } }))
    write('echo h')
    write('i\ndate\nfalse && echo no\nps')
    end()
    expect(state.out).toBe('hi\ntoday\n')
    expect(state.error).toContain('"ps" was not run')
    expect(exitOf(state)).toBe(127)
    const other = shell(false)
    other.write('exit 3\necho never\n')
    expect([other.state.out, exitOf(other.state)]).toEqual(['', 3])
  })
  it('a shell on a terminal echoes, erases and is interrupted', () => {
    const { state, write } = shell(true)
    write('echo hx\u007fi\r')
    expect(state.out).toBe('$ echo hx\b \bi\r\nhi\r\n$ ')
    write('echo a😀\u007f\u007fb\r')
    expect(state.out.endsWith('\r\nb\r\n$ ')).toBe(true)
    write('sleep infinity\r')
    write('echo late\r')
    expect(state.out.endsWith('late\r\n')).toBe(true)
    write('\u0003')
    expect(state.out.endsWith('^C\r\n$ ')).toBe(true)
    write('\u0004')
    expect(exitOf(state)).toBe(130)
  })
  it('a shell waits for what sleeps, and ends with its client', () => {
    const { state, write, wake, leave } = shell(false)
    write('sleep 2\necho woke\n')
    expect(state.out).toBe('')
    wake()
    expect(state.out).toBe('woke\n')
    write('sleep 5\necho never\n')
    leave()
    wake()
    expect([state.out, exitOf(state)]).toEqual(['woke\n', undefined])
  })
})

describe('containers that read', () => {
  function process(more: Partial<Container>) {
    const reading: Container = { ...container, stdin: true, ...more }
    const exits: number[] = []
    const state = { now: 1000 }
    const timers: { at: number; fn: () => void }[] = []
    const clock = {
      now: () => state.now,
      setTimeout(fn: () => void, ms: number) {
        const timer = { at: state.now + ms, fn }
        timers.push(timer)
        return () => void (timers.includes(timer) && timers.splice(timers.indexOf(timer), 1))
      },
    }
    const processes = new ContainerProcesses({
      clock,
      answer: (target, line) => lineAnswer(new PodScripts(), target, line),
      onExit: (_, exitCode) => void exits.push(exitCode),
    })
    const target = { pod, container: reading, startedAt: 1000 }
    const pass = (ms: number): void => {
      const end = state.now + ms
      for (let next = timers.find(({ at }) => at <= end); next; next = timers.find(({ at }) => at <= end)) {
        timers.splice(timers.indexOf(next), 1)
        state.now = next.at
        next.fn()
      }
      state.now = end
    }
    const join = (writes = true) => {
      const client = terminal()
      processes.open(target)?.join(client.streams, writes)
      return client
    }
    return { processes, target, exits, pass, join, output: () => processes.of(target)?.output }
  }

  it('a script reads, waits and copies, at its time', () => {
    const script = 'while [ -z "$s" ]; do read s; sleep 1; done; echo read:$s && cat && echo "stdin closed"'
    const { exits, pass, join, output } = process({ command: ['sh', '-c', script], stdinOnce: true })
    const { write, end, state } = join()
    pass(5000)
    write('val')
    write('ue\nabcd')
    expect([output(), exits]).toEqual(['', []])
    pass(999)
    expect(output()).toBe('')
    pass(1)
    expect(output()).toBe('read:value\nabcd')
    write('1234')
    end()
    expect([state.out, exits]).toEqual(['read:value\nabcd1234stdin closed\n', [0]])
  })

  it.each<[string, string, string, number]>([
    ['read a b; echo "$b-$a"', 'one two three\n', 'two three-one\n', 0],
    ['read -r; echo $REPLY; exit 3', 'all of it\n', 'all of it\n', 3],
    ['read x || echo "none: $x"', 'half', 'none: half\n', 0],
    ['while read line; do echo "<$line>"; done', 'a\nb\n', '<a>\n<b>\n', 0],
    ['until [ "$x" = end ]; do read x; done; echo over', 'a\nend\nb\n', 'over\n', 0],
    ['i=0; while [ $i -lt 3 ]; do i=$((i+1)); echo $i; done; cat', 'x', '1\n2\n3\nx', 0],
    ['cat; no-such-program', 'x', 'The script goes on', 127],
  ])('%s', (script, input, expected, exitCode) => {
    const { exits, join, output } = process({ command: ['sh', '-c', script], stdinOnce: true })
    const { write, end } = join()
    for (const character of input) write(character)
    end()
    expect(output()).toContain(expected)
    expect(exits).toEqual([exitCode])
  })

  it('end with the first client that writes if they say so, and stay open otherwise', () => {
    const once = process({ command: ['cat'], stdinOnce: true })
    const watcher = once.join(false)
    const writer = once.join()
    watcher.leave()
    writer.write('to all')
    expect([once.output(), once.exits]).toEqual(['to all', []])
    writer.leave()
    expect(once.exits).toEqual([0])

    const open = process({ command: ['cat'] })
    const first = open.join()
    first.write('a')
    first.end()
    first.leave()
    const second = open.join()
    second.write('b')
    expect([open.output(), second.state.out, open.exits]).toEqual(['ab', 'b', []])
  })

  it('are shells on a terminal, and none where nothing reads', () => {
    const { exits, join } = process({ tty: true })
    const { write, state } = join()
    write('echo hi\rexit 4\r')
    expect([state.out, exits]).toEqual(['echo hi\r\nexit 4\r\nhi\r\n$ ', [4]])
    const { processes, target } = process({})
    expect(processes.open(target)).toBeUndefined()
    expect(processes.open({ ...target, container: { ...target.container, tty: true, stdin: false } })).toBeUndefined()
  })

  it('that began again have another process', () => {
    const { processes, target, join, output } = process({ command: ['cat'] })
    join().write('a')
    const again = { ...target, startedAt: 2000 }
    expect(processes.of(again)).toBeUndefined()
    expect(processes.open(again)?.output).toBe('')
    expect(output()).toBeUndefined()
    processes.forget('u1')
    expect(processes.of(again)).toBeUndefined()
  })
})

it('ports answer, in HTTP to those who speak it', () => {
  expect(portAnswer(new PodScripts(), pod, 81)).toBeUndefined()
  const undeclared = { ...pod, spec: { containers: [{ name: 'app', image: 'nginx', resources: {} }] } }
  expect(portAnswer(new PodScripts(), undeclared, 81)?.('')).toContain('Port 81 of pod shop/web is simulated')
  expect(portAnswer(new PodScripts(), pod, 80)?.('GET / HTTP/1.1\r\n\r\n')).toMatch(/^HTTP\/1.1 200 OK\r\n/)
  expect(portAnswer(scripted({ ports: { '81': 'PONG' } }), pod, 81)?.('PING')).toBe('PONG')
})

it('files that were copied in are copied out again, within bounds', () => {
  expect(unpackFolder(['tar', '-xmf', '-', '-C', '/tmp'])).toBe('/tmp')
  expect(packedPath(['tar', 'cf', '-', '/tmp/f'])).toBe('/tmp/f')
  expect(unpackFolder(['tar', 'cf', '-', '/tmp/f'])).toBeUndefined()
  const files = new CopiedFiles()
  const archive = writeTar(
    new Map([
      ['/f', Buffer.from('stuff')],
      ['/d/g', Buffer.alloc(600, 'x')],
    ]),
    '/',
  )
  expect(archive).toBeDefined()
  expect(files.add('u1/app', readTar(archive as Buffer, '/tmp'))).toBeUndefined()
  expect([...files.of('u1/app').keys()]).toEqual(['/tmp/f', '/tmp/d/g'])
  const back = writeTar(files.of('u1/app'), '/tmp/f') as Buffer
  expect([...readTar(back, '/')]).toEqual([['/tmp/f', Buffer.from('stuff')]])
  expect(writeTar(files.of('u1/app'), '/nope')).toBeUndefined()
  expect(files.add('u1/app', new Map([['/big', Buffer.alloc(2 << 20)]]))).toBe('No space left on device')
  files.forget('u1/')
  expect(files.of('u1/app').size).toBe(0)
})
