// Loaded before a server that is attacked (`node --import`): its wall clock is off by what the parent process says, at the
// start by CLOCK_OFFSET_MS and then by messages. Timers and the monotonic clock are the system's own, as when somebody sets
// the clock of a machine. It needs neither root nor a library, and reaches all that reads `Date`.
const SystemDate = Date
let offset = Number(process.env.CLOCK_OFFSET_MS ?? 0)

const now = () => SystemDate.now() + offset
globalThis.Date = new Proxy(SystemDate, {
  apply: (target) => new target(now()).toString(),
  construct: (target, args, newTarget) => Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
  get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
})

if (process.send !== undefined) {
  process.on('message', ({ clockOffsetMs }) => {
    offset = clockOffsetMs
  })
  process.channel?.unref()
}
