import { describe, expect, it } from 'vitest'
import type { Container, Pod } from '../pod-life/pod.ts'
import { type ContainerRun, newRun } from '../pod-life/pod-run.ts'
import { PodScripts } from '../script/pod-scripts.ts'
import type { CommandStatus, CommandStreams } from './command-session.ts'
import { loggedSince, logText, selectLog } from './container-log.ts'
import { execAnswer, lineAnswer } from './exec-answer.ts'
import { readerOf, runCat, runShell } from './interactive-command.ts'
import { portAnswer } from './port-answers.ts'
import { CopiedFiles, packedPath, readTar, unpackFolder, writeTar } from './tar-files.ts'

const container: Container = { name: 'app', image: 'nginx', ports: [{ containerPort: 80 }] }
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

describe('commands that read', () => {
  /** Streams whose client the test is. */
  function terminal() {
    const state = { out: '', error: '', status: undefined as CommandStatus | undefined }
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
      finish(status) {
        state.status = status
      },
    }
    const write = (text: string): void => input?.(Buffer.from(text))
    return { state, streams, write, end: () => input?.(undefined), leave: () => gone() }
  }
  const exitOf = ({ status }: { status: CommandStatus | undefined }) =>
    status === undefined ? undefined : (status.details?.causes[0]?.message ?? '0')
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

  it('are cat and shells without a script', () => {
    expect([['cat'], ['/bin/cat', '-'], ['sh'], ['/bin/bash', '-il']].map(readerOf)).toEqual([
      'cat',
      'cat',
      'shell',
      'shell',
    ])
    expect([['cat', '/etc/hosts'], ['sh', '-c', 'echo'], ['env']].map(readerOf)).toEqual(Array(3).fill(undefined))
  })
  it('cat gives back what it is given', () => {
    const { state, streams, write, end } = terminal()
    runCat(streams)
    write('abcd')
    write('1234')
    expect([state.out, exitOf(state)]).toEqual(['abcd1234', undefined])
    end()
    expect(exitOf(state)).toBe('0')
  })
  it('a shell runs line by line, to its end or exit', () => {
    const { state, write, end } = shell(false, scripted({ exec: { date: { stdout: 'today\n' } } }))
    write('echo h')
    write('i\ndate\nfalse && echo no\nps')
    end()
    expect(state.out).toBe('hi\ntoday\n')
    expect(state.error).toContain('"ps" was not run')
    expect(exitOf(state)).toBe('127')
    const other = shell(false)
    other.write('exit 3\necho never\n')
    expect([other.state.out, exitOf(other.state)]).toEqual(['', '3'])
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
    expect(exitOf(state)).toBe('130')
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

it('ports answer, in HTTP to those who speak it', () => {
  expect(portAnswer(new PodScripts(), pod, 81)).toBeUndefined()
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
