/** Builds the screens ahead of the first start. */
import { ensureRendererBuilt } from '../launch/renderer.ts'

export async function run(argv: string[]): Promise<number> {
  if (argv.includes('--help')) {
    process.stdout.write(
      'npm run build: builds the screens into out/renderer when they are older than their source.\n',
    )
    return 0
  }
  const folder = await ensureRendererBuilt({ progress: (line) => process.stderr.write(`${line}\n`) })
  process.stdout.write(`${folder}\n`)
  return 0
}
