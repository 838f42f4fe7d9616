/**
 * Probes and the hooks of a container's life: exactly one action each.
 * Mirrors pkg/apis/core/validation: validateProbe, validateLifecycle.
 */
import { forbidden, invalid, notSupported, required } from '../../../api/field-error.ts'
import type { FieldPath } from '../../../api/field-path.ts'
import { checkHttpHeaderName, checkPortName, checkPortNumber } from '../../../api/names.ts'
import type { Container, HTTPGetAction, Lifecycle, LifecycleHandler, Probe } from '../../../catalog/types/core-v1.ts'
import { addMessages, checkNotNegative, type Errors, isUnset } from '../../checks/checks.ts'
import type { PodOptions } from './pod-options.ts'

/** What the rules of hooks need to know of the pod. */
export interface LifecycleContext {
  readonly gracePeriod: number | undefined
  readonly os: string | undefined
  readonly options: PodOptions
}

const schemes = ['HTTP', 'HTTPS']

/** The lifecycle and the probes of a container that may have them. */
export function validateLifecycleAndProbes(
  errors: Errors,
  container: Container,
  at: FieldPath,
  life: LifecycleContext,
): void {
  const { lifecycle, livenessProbe, readinessProbe, startupProbe } = container
  if (lifecycle !== undefined) validateLifecycle(errors, lifecycle, at.child('lifecycle'), life)
  if (livenessProbe !== undefined) validateOnceProbe(errors, livenessProbe, at.child('livenessProbe'), life)
  if (readinessProbe !== undefined) validateReadiness(errors, readinessProbe, at.child('readinessProbe'), life)
  if (startupProbe !== undefined) validateOnceProbe(errors, startupProbe, at.child('startupProbe'), life)
}

function validateLifecycle(errors: Errors, lifecycle: Lifecycle, at: FieldPath, life: LifecycleContext): void {
  const { postStart, preStop, stopSignal } = lifecycle
  if (postStart !== undefined) validateHandler(errors, postStart, at.child('postStart'), life)
  if (preStop !== undefined) validateHandler(errors, preStop, at.child('preStop'), life)
  if (stopSignal !== undefined) validateStopSignal(errors, stopSignal, at.child('stopSignal'), life.os)
}

/** Liveness and startup: one success is enough. */
function validateOnceProbe(errors: Errors, probe: Probe, at: FieldPath, life: LifecycleContext): void {
  validateProbe(errors, probe, at, life)
  const { successThreshold = 0 } = probe
  if (successThreshold !== 1) errors.push(invalid(at.child('successThreshold'), successThreshold, 'must be 1'))
}

function validateReadiness(errors: Errors, probe: Probe, at: FieldPath, life: LifecycleContext): void {
  validateProbe(errors, probe, at, life)
  const { terminationGracePeriodSeconds: seconds } = probe
  if (seconds === undefined) return
  errors.push(invalid(at.child('terminationGracePeriodSeconds'), seconds, 'must not be set for readinessProbes'))
}

function validateProbe(errors: Errors, probe: Probe, at: FieldPath, life: LifecycleContext): void {
  validateHandler(errors, probe, at, life)
  checkNotNegative(errors, probe.initialDelaySeconds, at, 'initialDelaySeconds')
  checkNotNegative(errors, probe.timeoutSeconds, at, 'timeoutSeconds')
  checkNotNegative(errors, probe.periodSeconds, at, 'periodSeconds')
  checkNotNegative(errors, probe.successThreshold, at, 'successThreshold')
  checkNotNegative(errors, probe.failureThreshold, at, 'failureThreshold')
  const { terminationGracePeriodSeconds: seconds } = probe
  if (seconds !== undefined && seconds <= 0) {
    errors.push(invalid(at.child('terminationGracePeriodSeconds'), seconds, 'must be greater than 0'))
  }
}

type Handler = Pick<Probe, 'exec' | 'httpGet' | 'tcpSocket' | 'grpc'> & Pick<LifecycleHandler, 'sleep'>

const actions = ['exec', 'httpGet', 'tcpSocket', 'grpc', 'sleep'] as const

function validateHandler(errors: Errors, handler: Handler, at: FieldPath, life: LifecycleContext): void {
  let count = 0
  for (const name of actions) {
    if (handler[name] === undefined) continue
    count++
    if (count > 1) errors.push(forbidden(at.child(name), 'may not specify more than 1 handler type'))
    else validateAction(errors, handler, name, at.child(name), life)
  }
  if (count === 0) errors.push(required(at, 'must specify a handler type'))
}

function validateAction(
  errors: Errors,
  { exec, httpGet, tcpSocket, grpc, sleep }: Handler,
  name: (typeof actions)[number],
  at: FieldPath,
  life: LifecycleContext,
): void {
  if (name === 'exec' && (exec?.command?.length ?? 0) === 0) errors.push(required(at.child('command')))
  if (name === 'httpGet' && httpGet !== undefined) validateHttpGet(errors, httpGet, at)
  if (name === 'tcpSocket' && tcpSocket !== undefined) validatePort(errors, tcpSocket.port, at.child('port'))
  if (name === 'grpc' && grpc !== undefined) validatePort(errors, grpc.port, at.child('port'))
  if (name === 'sleep' && sleep !== undefined) validateSleep(errors, sleep.seconds, at, life)
}

function validateHttpGet(errors: Errors, action: HTTPGetAction, at: FieldPath): void {
  if (isUnset(action.path)) errors.push(required(at.child('path')))
  validatePort(errors, action.port, at.child('port'))
  const { scheme = '' } = action
  if (!schemes.includes(scheme)) errors.push(notSupported(at.child('scheme'), scheme, schemes))
  for (const { name } of action.httpHeaders ?? []) {
    addMessages(errors, at.child('httpHeaders'), name, checkHttpHeaderName(name))
  }
}

function validatePort(errors: Errors, port: number | string, at: FieldPath): void {
  const messages = typeof port === 'number' ? checkPortNumber(port) : checkPortName(port)
  if (messages.length > 0) addMessages(errors, at, port, messages)
}

function validateSleep(
  errors: Errors,
  seconds: number,
  at: FieldPath,
  { gracePeriod, options }: LifecycleContext,
): void {
  if (gracePeriod === undefined) return
  const least = options.zeroSleep ? 0 : 1
  if (seconds >= least && seconds <= gracePeriod) return
  const why = options.zeroSleep
    ? `must be non-negative and less than terminationGracePeriodSeconds (${gracePeriod})`
    : `must be greater than 0 and less than terminationGracePeriodSeconds (${gracePeriod}). Enable AllowPodLifecycleSleepActionZeroValue feature gate for zero sleep.`
  errors.push(invalid(at, seconds, why))
}

const named =
  'ABRT ALRM BUS CHLD CLD CONT FPE HUP ILL INT IO IOT KILL PIPE POLL PROF PWR QUIT SEGV STKFLT STOP SYS TERM TRAP TSTP TTIN TTOU URG USR1 USR2 VTALRM WINCH XCPU XFSZ RTMIN RTMAX'
const upTo = (count: number, text: string): string[] => Array.from({ length: count }, (_, i) => `${text}${i + 1}`)

const linuxSignals = [
  ...named.split(' ').map((name) => `SIG${name}`),
  ...upTo(15, 'SIGRTMIN+'),
  ...upTo(14, 'SIGRTMAX-'),
].sort()
const windowsSignals = ['SIGKILL', 'SIGTERM']

function validateStopSignal(errors: Errors, signal: string, at: FieldPath, os: string | undefined): void {
  if (os === undefined) {
    errors.push(forbidden(at, 'may not be set for containers with empty `spec.os.name`'))
    return
  }
  const supported = os === 'windows' ? windowsSignals : os === 'linux' ? linuxSignals : undefined
  if (supported !== undefined && !supported.includes(signal)) errors.push(notSupported(at, signal, supported))
}
