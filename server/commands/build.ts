/** Builds the screens ahead of the first start. */
import { ensureRendererBuilt } from '../launch/renderer.ts'

export async function run(argv: string[]): Promise<number> {
  if (argv.includes('--help')) {
    process.stdout.write(
      'Builds the screens into out/renderer if they are older than their source.\n\nExample: npm run build\n',
    )
    return 0
  }
  const folder = await ensureRendererBuilt({ progress: (line) => process.stderr.write(`${line}\n`) })
  process.stdout.write(`${folder}\n`)
  return 0
}
