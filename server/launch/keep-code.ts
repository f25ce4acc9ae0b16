/**
 * Loads the code of both services and of the vision worker, so that Node keeps it compiled in the folder NODE_COMPILE_CACHE. A package runs
 * it once as root, because the services may not write code (resources/kiosk/keep-code.sh).
 */
import { compileVisionWorker } from '../vision/client.ts'

await Promise.all([
  import('../commands/start.ts'),
  import('../index.ts'),
  import('../commands/central.ts'),
  import('../central/index.ts'),
  compileVisionWorker(),
])
