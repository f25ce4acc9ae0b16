/** Asks for another picture: one sentence and a drawing that help, and every alternative. */
import { picture } from '../../design/art.ts'
import type { PictureName } from '../../design/art.ts'
import { h } from '../../dom.ts'
import { DOCUMENT_FILES } from '../../file-types.ts'
import { button, fileButton, layout, notice, row } from '../layout.ts'
import type { Screen } from '../screen-context.ts'
import { documentCapture } from './document-capture.ts'
import { presentStep } from './present-step.ts'
import { createStage } from './stage.ts'
import type { DocumentStep, GuidanceCode } from '../../../server/kiosk/contract/index.ts'

const PICTURE_OF: Partial<Readonly<Record<GuidanceCode, PictureName>>> = {
  DOCUMENT_DARK: 'light',
  DOCUMENT_BRIGHT: 'light',
  DOCUMENT_GLARE: 'tilt',
  DOCUMENT_TILTED: 'flat',
  DOCUMENT_CUT: 'edges',
  DOCUMENT_NOT_SEEN: 'hold',
  DOCUMENT_SIDE: 'flip',
  DOCUMENT_LINES: 'open',
  DOCUMENT_UNCLEAR: 'open',
  DOCUMENT_FIELD: 'open',
  DOCUMENT_NONE: 'hold',
  DOCUMENT_SEVERAL: 'take',
  DOCUMENT_MIRRORED: 'flip',
  DOCUMENT_SPECIMEN: 'take',
  DOCUMENT_OTHER: 'take',
  DOCUMENT_ENDED: 'take',
}

/** The document itself is the problem: another photo of it would not help. */
const OTHER_FIRST: readonly GuidanceCode[] = ['DOCUMENT_ENDED', 'DOCUMENT_OTHER', 'DOCUMENT_SPECIMEN']

export const documentAgain: Screen = (context) => {
  const { t, acts, state } = context
  const step = presentStep(state, 'document')
  const stage = createStage('again')
  let camera: ReturnType<Screen> | null = null
  const reason: GuidanceCode = step?.guidance[0] ?? 'DOCUMENT_UNCLEAR'
  const fieldWord = step?.guidanceField ? t(`field.${step.guidanceField}`) : ''
  const show = () => {
    camera = documentCapture(context)
    stage.element.replaceChildren(camera.element)
    stage.element.querySelector<HTMLElement>('h1')?.focus({ preventScroll: true })
  }
  stage.show({ element: page() })
  return {
    element: stage.element,
    isCapturing: () => camera !== null,
    update(next) {
      stage.working(next.working)
      return camera?.update?.(next) ?? true
    },
    dispose: () => {
      camera?.dispose?.()
      stage.dispose()
    },
  }

  function page(): HTMLElement {
    const otherFirst = OTHER_FIRST.includes(reason)
    const again = button(otherFirst ? 'secondary' : 'primary', t('guidance.again'), show, {
      iconName: 'camera',
    })
    // If the appliance recognises the kind itself, the same camera takes another document.
    const other = step?.choice
      ? button(otherFirst ? 'primary' : 'secondary', t('document.other'), () => acts.otherDocument(), {
          iconName: 'document',
          calls: true,
        })
      : button(otherFirst ? 'primary' : 'secondary', t('document.other'), show, { iconName: 'document' })
    return layout({
      name: 'again',
      title: t(otherFirst ? 'choice.other.title' : 'document.again.title'),
      words: [
        h('div', { role: 'status' }, notice('attention', t(`guidance.${reason}`, { field: fieldWord }))),
        h('p', {}, t('guidance.tries', { count: step?.left ?? 1 })),
      ],
      look: [picture(PICTURE_OF[reason] ?? 'hold')],
      hands: [
        ...(step?.choice === null
          ? [otherFirst ? other : again]
          : otherFirst
            ? [other, again]
            : [again, other]),
        row(
          drawUpload(step),
          button('secondary', t('person.finish'), person, { iconName: 'person', calls: true }),
        ),
      ],
    })
  }
  function person() {
    acts.skip({ step: 'document', person: true })
  }
  function drawUpload(present: DocumentStep | null): HTMLElement | null {
    return present?.uploadAllowed
      ? fileButton(t('document.file'), (file) => acts.sendFile(file), DOCUMENT_FILES)
      : null
  }
}
