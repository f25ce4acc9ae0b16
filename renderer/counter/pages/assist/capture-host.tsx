/**
 * Contains one of the capture elements: opens a session, starts it, opens another one if that helps, and
 * reports the end.
 */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { OpenedCapture } from '../../../../server/counter/contract/assist.ts'
import { defineCaptureElements } from '../../../capture/index.ts'
import type { DocumentCaptureElement, PortraitCaptureElement } from '../../../capture/index.ts'
import { ApiProblem } from '../../api/client.ts'
import { useText } from '../../text.tsx'
import { Notice } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { ProblemNotice } from '../../ui/problem.tsx'

/** A session that ended by itself is opened again this often before the officer is asked. */
const REOPENED_AT_MOST = 2

export function CaptureHost({
  kind,
  language,
  open,
  onDone,
}: {
  readonly kind: 'document' | 'portrait'
  /** The language of the reader: the officer's for a document, the applicant's for the face. */
  readonly language: string
  readonly open: () => Promise<OpenedCapture>
  readonly onDone: () => void
}) {
  const { t } = useText()
  const place = useRef<HTMLDivElement>(null)
  const [problem, setProblem] = useState<ApiProblem | null>(null)
  const [over, setOver] = useState(false)
  const [turn, setTurn] = useState(0)
  const latest = useRef({ open, onDone })
  latest.current = { open, onDone }

  useEffect(() => {
    defineCaptureElements()
    const element = document.createElement(`${kind}-capture`) as
      | DocumentCaptureElement
      | PortraitCaptureElement
    element.setAttribute('lang', language)
    let isOpen = true
    let reopened = 0
    const begin = async () => {
      try {
        const { sessionId } = await latest.current.open()
        if (!isOpen) return
        element.session = sessionId
        await element.start()
      } catch (error) {
        if (isOpen) setProblem(error instanceof ApiProblem ? error : new ApiProblem('internal'))
      }
    }
    element.addEventListener('captured', () => {
      if (isOpen) latest.current.onDone()
    })
    element.addEventListener('session-over', (event) => {
      const { reason, mayRetry } = (event as CustomEvent<{ reason: string; mayRetry: boolean }>).detail
      if (reason === 'left' || !isOpen) return
      reopened += 1
      if (mayRetry && reopened <= REOPENED_AT_MOST) void begin()
      else setOver(true)
    })
    setProblem(null)
    setOver(false)
    place.current?.replaceChildren(element)
    void begin()
    return () => {
      isOpen = false
      element.stop()
      element.remove()
    }
  }, [kind, language, turn])
  const again = (
    <Button icon="retry" onClick={() => setTurn((now) => now + 1)}>
      {t('try-again')}
    </Button>
  )
  return (
    <div class="stack">
      <ProblemNotice problem={problem} onRetry={() => setTurn((now) => now + 1)} />
      {over && <Notice tone="attention" alert title={t('assist.capture.over')} actions={again} />}
      <div ref={place} class={`capture-place capture-${kind}`} />
    </div>
  )
}
