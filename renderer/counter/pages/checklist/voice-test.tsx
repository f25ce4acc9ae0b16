/** The voices of this computer, one for each language of the kiosk: the administrator listens to them. */
import { useEffect, useState } from 'preact/hooks'
import type { ChecklistRow } from '../../../../server/counter/contract/checklist.ts'
import { COUNTER } from '../../../locales/counter.ts'
import { loadTexts } from '../../../locales/index.ts'
import { useAct } from '../../hooks.ts'
import { useClient } from '../../session.tsx'
import { useText } from '../../text.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { ProblemNotice } from '../../ui/problem.tsx'
import type { TestProps } from './test-props.ts'

/** Uses local voices only, as the kiosk does: a network voice would send the spoken text to another company. */
function voiceFor(tag: string): SpeechSynthesisVoice | null {
  const base = tag.toLowerCase().split('-')[0]
  const voices = (globalThis.speechSynthesis?.getVoices() ?? []).filter(
    ({ lang, localService }) => localService && lang.toLowerCase().split(/[-_]/)[0] === base,
  )
  return voices.find((voice) => voice.default) ?? voices[0] ?? null
}

export function VoiceTest({ languages, onRow, onClose }: TestProps) {
  const { t, formats } = useText()
  const client = useClient()
  const act = useAct()
  const [, setTurn] = useState(0)
  useEffect(() => {
    const synth = globalThis.speechSynthesis
    // The browser loads its voices late.
    const arrived = () => setTurn((turn) => turn + 1)
    synth?.addEventListener('voiceschanged', arrived)
    return () => {
      synth?.removeEventListener('voiceschanged', arrived)
      synth?.cancel()
    }
  }, [])
  const lacks = languages.filter((tag) => voiceFor(tag) === null)
  const listen = async (tag: string) => {
    const voice = voiceFor(tag)
    if (!voice) return
    const words = await loadTexts(COUNTER, tag)
    const utterance = new SpeechSynthesisUtterance(words('checklist.voice.title'))
    utterance.voice = voice
    utterance.lang = voice.lang
    globalThis.speechSynthesis.cancel()
    globalThis.speechSynthesis.speak(utterance)
  }
  const tell = async (passed: boolean) => {
    const done = await act.run(async () => {
      onRow(await client.send<ChecklistRow>('POST', 'checklist/tests/voice', { body: { passed, lacks } }))
    })
    if (done) onClose()
  }
  return (
    <Dialog
      title={t('checklist.voice.title')}
      onClose={onClose}
      footer={
        <>
          <Button working={act.working} onClick={() => void tell(false)}>
            {t('checklist.voice.not-heard')}
          </Button>
          <Button
            kind="primary"
            disabled={lacks.length > 0}
            working={act.working}
            onClick={() => void tell(true)}
          >
            {t('checklist.voice.heard')}
          </Button>
        </>
      }
    >
      <ul class="rows">
        {languages.map((tag) => {
          const language = formats.language(tag)
          return (
            <li key={tag}>
              <span>{language}</span>
              {voiceFor(tag) ? (
                <Button
                  icon="sound"
                  label={t('checklist.voice.listen-to', { language })}
                  onClick={() => void listen(tag)}
                >
                  {t('checklist.voice.listen')}
                </Button>
              ) : (
                <Badge tone="attention">{t('checklist.voice.missing')}</Badge>
              )}
            </li>
          )
        })}
      </ul>
      {lacks.length > 0 && <p>{t('checklist.voice.advice')}</p>}
      <ProblemNotice problem={act.problem} />
    </Dialog>
  )
}
