/** Loads the code of the vision worker and ends, so that Node keeps it compiled (`compiled-code`). Gets no picture. */
import 'sharp'
import 'onnxruntime-node'
import './calls.ts'
import './engines/open-engines.ts'
import './packs.ts'
import './sessions.ts'
