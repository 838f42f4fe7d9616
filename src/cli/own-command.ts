/** How this program is called again: by Node and the script, or as the single executable that it is. */
export function ownCommand(): readonly string[] {
  const { execPath, argv } = process
  // In a single executable the script is the program itself.
  const script = argv[1]
  return script === undefined || script === execPath ? [execPath] : [execPath, script]
}
