/** Which line of the test called: frames of this package, of Node and of test runners say nothing about it. */

const others =
  /node:|node_modules|pilothouse\/program-|\/dist\/(?:testing|load|index|stack-lines)\.js:|\/src\/testing\/(?!.*\.test\.)/

function framesOfCaller(stack: string | undefined): string[] {
  return (stack ?? '')
    .split('\n')
    .slice(1)
    .filter((line) => line.includes(':') && !others.test(line))
}

export function placeOfCaller(stack: string | undefined): string {
  return (
    framesOfCaller(stack)[0]
      ?.trim()
      .replace(/^at (?:async )?/, '') ?? ''
  )
}

/** Takes the stack now, for an error that a timer makes later: a timer's own stack lacks the caller. */
export function errorAtCaller(): (message: string) => Error {
  const frames = framesOfCaller(new Error().stack)
  return (message) => {
    const error = new Error(message)
    if (frames.length > 0) error.stack = [String(error), ...frames].join('\n')
    return error
  }
}
