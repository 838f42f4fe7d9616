// The page: takes the code of a link, then shows what the address names.
import { render } from 'preact'
import { loadCapabilities, signIn, takeCode } from './api/session.ts'
import { App } from './app.tsx'
import { startKeys } from './lib/keys.ts'
import { startRouter } from './lib/router.ts'
import { startTheme } from './lib/theme.ts'
import './ui/tokens.css'
import './ui/base.css'
import './ui/shell.css'
import './ui/parts.css'
import './ui/table.css'

async function start(): Promise<void> {
  startTheme()
  startRouter()
  startKeys()
  const code = takeCode()
  if (code !== undefined) await signIn(code)
  render(<App />, document.getElementById('app') as HTMLElement)
  await loadCapabilities()
}

void start()
