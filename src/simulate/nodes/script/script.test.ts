import { describe, expect, it } from 'vitest'
import type { Container } from '../../../catalog/types/core-v1.ts'
import type { Pod } from '../../objects.ts'
import { commandLife } from './command.ts'
import { globMatches, readPattern } from './pod-pattern.ts'
import { readScript } from './pod-script.ts'
import { PodScripts } from './pod-scripts.ts'

const makePod = (container: Partial<Container> = {}, metadata: Partial<Pod['metadata']> = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web-1', namespace: 'shop', uid: 'u1', ...metadata },
  spec: { restartPolicy: 'Always', containers: [{ name: 'app', image: 'busybox', resources: {}, ...container }] },
})

describe('what a command says', () => {
  const forever = Number.POSITIVE_INFINITY
  it.each<[string[], [number, number, string] | undefined]>([
    [
      ['sleep', '3600'],
      [3_600_000, 0, ''],
    ],
    [
      ['/bin/sleep', '1.5m'],
      [90_000, 0, ''],
    ],
    [
      ['sh', '-c', 'exit 3'],
      [0, 3, ''],
    ],
    [
      ['/bin/sh', '-c', 'echo "hello $WHO"; sleep 2 && exit 7'],
      [2000, 7, 'hello world\n'],
    ],
    [
      ['sh', '-c', "false || echo 'on $WHO'"],
      [0, 0, 'on $WHO\n'],
    ],
    [
      ['sh', '-c', 'false && echo never'],
      [0, 1, ''],
    ],
    [
      ['sh', '-c', 'i=0; while [ $i -lt 3 ]; do echo $i; i=$((i+1)); sleep 1; done; exit $i'],
      [3000, 3, '0\n1\n2\n'],
    ],
    [
      ['sh', '-c', 'until [ "$x" = aa ]; do x=a$x; done; echo $x'],
      [0, 0, 'aa\n'],
    ],
    [['sh', '-c', 'while x=1; do y=2; done'], undefined],
    [['sh', '-c', `${'for i in 1 2 3 4 5 6 7 8 9; do '.repeat(9)}x=1${'; done'.repeat(9)}`], undefined],
    [['sh', '-c', 'while [ ! -e /ready ]; do sleep 1; done'], undefined],
    [
      ['sh', '-c', 'sleep 10; for i in {1..100} b "c d"; do echo $i; sleep 0.5; done; echo EOF'],
      [11_500, 0, '{1..100}\nb\nc d\nEOF\n'],
    ],
    [
      ['sh', '-c', 'for i in; do echo never; done; for j in 1 2; do exit $j; done'],
      [0, 1, ''],
    ],
    [
      ['sh', '-c', "cat && echo 'stdin closed'; read x || echo none"],
      [0, 0, 'stdin closed\nnone\n'],
    ],
    [['bash', '-c', 'for i in {1..3}; do echo $i; done'], undefined],
    [['cat'], [0, 0, '']],
    [
      ['bash', '-i'],
      [0, 0, ''],
    ],
    [
      ['sh', '-c', 'echo a; exit 0; echo b'],
      [0, 0, 'a\n'],
    ],
    [
      ['sh', '-c', 'echo up; while true; do date; sleep 5; done'],
      [forever, 0, 'up\n'],
    ],
    [
      ['sh', '-c', 'tail -f /dev/null'],
      [forever, 0, ''],
    ],
    [
      ['sleep', 'infinity'],
      [forever, 0, ''],
    ],
    [
      ['echo', '$(WHO)'],
      [0, 0, 'world\n'],
    ],
    [
      ['echo', '-n', 'x'],
      [0, 0, 'x'],
    ],
    [['false'], [0, 1, '']],
    [['nginx', '-g', 'daemon off;'], undefined],
    ...(
      [
        // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the shell's
        ['if [ $(expr ${INDEX} % 2) -ne 0 ]; then exit 1; else exit 0; fi', 1, ''],
        ['if [ "$INDEX" = 4 ]; then exit 1; elif [ $INDEX -gt 2 ]; then echo big; exit 5; fi', 5, 'big\n'],
        ['if false; then cat x; fi', 0, ''],
        ['if ! true\nthen\n  echo no\nfi\necho done', 0, 'done\n'],
        ['exit $(( INDEX * 2 ))', 6, ''],
        ['exit $(( NONE + 2 ))', 2, ''],
        ['exit $(( $INDEX * 2 ))', 6, ''],
        ['A=$(expr $INDEX - 3); [ $A -eq 0 ] && exit 9', 9, ''],
        ['test -n "$WHO" && { echo "hi $WHO"; exit 2; } || exit 3', 2, 'hi world\n'],
        ['echo one 2>&1; echo two > /dev/null', 0, 'one\ntwo\n'],
        ['[ -f /data/x ] || exit 1', undefined, ''],
        ['if true; then echo a', undefined, ''],
        ['fi', undefined, ''],
        ['for i in 1 2; do echo $i; done', 0, '1\n2\n'],
        ['for i in 1 2; do echo $i', undefined, ''],
        ['{ '.repeat(100), undefined, ''],
      ] as const
    ).map(([script, exitCode, output]): [string[], [number, number, string] | undefined] => [
      ['sh', '-c', script],
      exitCode === undefined ? undefined : [0, exitCode, output],
    ]),
    [['sh', '-c', 'cat /etc/passwd'], undefined],
    [['sh', '-c', 'echo $(date)'], undefined],
    [['sh', '-c', 'echo a > /data/x'], undefined],
    [['sleep', 'long'], undefined],
    [[], undefined],
  ])('%j', (command, expected) => {
    const fieldRef = { fieldPath: "metadata.annotations['index']" }
    const env = [
      { name: 'WHO', value: 'world' },
      { name: 'INDEX', valueFrom: { fieldRef } },
    ]
    const container = { name: 'app', image: 'busybox', command, env, resources: {} }
    const life = commandLife(makePod({}, { annotations: { index: '3' } }), container)
    expect(life && [life.ms, life.exitCode, life.output]).toEqual(expected)
  })

  it('knows the image that does nothing', () => {
    expect(commandLife(makePod(), { name: 'app', image: 'registry.k8s.io/pause:3.10', resources: {} })?.ms).toBe(
      forever,
    )
    expect(commandLife(makePod(), { name: 'app', image: 'agnhost:2', args: ['pause'], resources: {} })?.ms).toBe(
      forever,
    )
  })
})

describe('patterns', () => {
  it.each<[string, string, boolean]>([
    ['web-*', 'web-1', true],
    ['web-*', 'web', false],
    ['*', '', true],
    ['*-1', 'web-1', true],
    ['a*b*c', 'axxbyyc', true],
    ['a*b*c', 'axxcyyb', false],
    ['ab*ba', 'aba', false],
    ['web', 'web-1', false],
  ])('%s and %s', (pattern, text, expected) => expect(globMatches(pattern, text)).toBe(expected))

  it('refuse what they do not know', () => {
    expect(() => readPattern({ nmae: 'x' } as never)).toThrow('unknown name "nmae"')
    expect(() => readPattern('web [')).toThrow('no pattern')
    expect(readPattern('shop/web-*')).toEqual({ namespace: 'shop', name: 'web-*' })
  })
})

it('refuses scripts with names or values that it does not know', () => {
  expect(() => readScript({ crash: {} })).toThrow('script: unknown name "crash"; known are container, exit')
  expect(() => readScript({ exit: { code: 1 } })).toThrow('script.exit: unknown name "code"')
  expect(() => readScript({ exit: { after: -1 } })).toThrow(
    'script.exit.after: -1 is not a number that is not negative',
  )
  expect(() => readScript({ usage: { cpu: 'much' } })).toThrow('is not a quantity')
  expect(() => readScript(JSON.parse('{"__proto__":{"a":1}}'))).toThrow('unknown name "__proto__"')
  expect(readScript({ exec: { date: { stdout: 'today' } }, logs: ['a'] })).toBeDefined()
})

describe('scripts in force', () => {
  const instance = (pod: Pod, more: { startedAt?: number; restarts?: number; now?: number } = {}) => ({
    pod,
    container: pod.spec.containers[0] as Container,
    role: 'main' as const,
    restarts: 0,
    startedAt: 1000,
    now: 1000,
    ...more,
  })

  it('end a container after its start, or after their own', () => {
    const scripts = new PodScripts()
    const stop = scripts.add({ pattern: { name: 'web-*' }, script: { exit: { exitCode: 3, after: 500 } }, since: 5000 })
    expect(scripts.container(instance(makePod())).exit).toMatchObject({ at: 5500, exitCode: 3 })
    expect(scripts.container(instance(makePod(), { startedAt: 9000 })).exit).toMatchObject({ at: 9500 })
    expect(scripts.container(instance(makePod({}, { name: 'db-1' }))).exit).toBeUndefined()
    stop()
    expect(scripts.container(instance(makePod())).exit).toBeUndefined()
  })

  it('leave images that are missing to themselves', () => {
    const scripts = new PodScripts(['*:404'])
    const container = (image: string) => instance(makePod({ image }))
    const pull = (image: string) => {
      const asked = container(image)
      return scripts.container({ ...asked, container: { ...asked.container, image } }).pullError
    }
    expect([pull('nginx:1'), pull('nginx:404')?.endsWith('"nginx:404": nginx:404: not found')]).toEqual([
      undefined,
      true,
    ])
  })

  it('act a number of times', () => {
    const scripts = new PodScripts()
    scripts.add({ pattern: {}, script: { exit: { times: 2 } }, since: 0 })
    const pod = makePod()
    const acts = [4, 5, 6, 7].map((restarts) => scripts.container(instance(pod, { restarts })).exit !== undefined)
    expect(acts).toEqual([true, true, false, false])
  })

  it('flap', () => {
    const scripts = new PodScripts()
    scripts.add({ pattern: {}, script: { unready: { after: 100, for: 10, every: 50 } }, since: 1000 })
    const seen = [1000, 1100, 1110, 1150, 1165].map((now) => {
      const { isUnready = false, readinessChangesAt } = scripts.container(instance(makePod(), { now }))
      return [isUnready, readinessChangesAt]
    })
    expect(seen).toEqual([
      [false, 1100],
      [true, 1110],
      [false, 1150],
      [true, 1160],
      [false, 1200],
    ])
  })

  it('may stand in an annotation', () => {
    const annotations = { 'simulate.pilothouse.dev/script': '{"pull":{"error":"no such image"}}' }
    const scripts = new PodScripts()
    expect(scripts.container(instance(makePod({}, { annotations }))).pullError).toBe('no such image')
    const wrong = makePod({}, { annotations: { 'simulate.pilothouse.dev/script': '{"pull":{"eror":"x"}}' } })
    expect(scripts.annotationProblem(wrong)).toContain('unknown name "eror"')
    expect(scripts.container(instance(wrong)).pullError).toBeUndefined()
  })

  it('leave a command its own end, and can take it away', () => {
    const scripts = new PodScripts()
    const pod = makePod({ command: ['sh', '-c', 'sleep 1; exit 4'] })
    expect(scripts.container(instance(pod)).exit).toMatchObject({ at: 2000, exitCode: 4 })
    scripts.add({ pattern: {}, script: { runs: true }, since: 0 })
    expect(scripts.container(instance(pod)).exit).toBeUndefined()
  })
})
