/** The camera of this computer: a live picture, then one picture that the appliance judges and deletes. */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { ChecklistRow } from '../../../../server/counter/contract/checklist.ts'
import { useAct } from '../../hooks.ts'
import { useClient } from '../../session.tsx'
import { useText } from '../../text.tsx'
import { Notice } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { ProblemNotice } from '../../ui/problem.tsx'
import { spellCode } from '../../words.ts'
import type { TestProps } from './test-props.ts'

type CameraState = 'STARTING' | 'LIVE' | 'NONE'

const WISH: MediaStreamConstraints = { video: { width: { ideal: 1920 }, height: { ideal: 1080 } } }

export function CameraTest({ onRow, onClose }: TestProps) {
  const { t, known } = useText()
  const client = useClient()
  const act = useAct()
  const video = useRef<HTMLVideoElement>(null)
  const [state, setState] = useState<CameraState>('STARTING')
  const [judged, setJudged] = useState<ChecklistRow | null>(null)
  useEffect(() => {
    let isOpen = true
    let stream: MediaStream | null = null
    const start = async () => {
      try {
        stream = await navigator.mediaDevices.getUserMedia(WISH)
        if (!isOpen || !video.current) return stop()
        video.current.srcObject = stream
        await video.current.play()
        setState('LIVE')
      } catch {
        if (!isOpen) return
        setState('NONE')
        await act.run(async () =>
          onRow(await client.send<ChecklistRow>('POST', 'checklist/tests/face-camera/missing')),
        )
      }
    }
    const stop = () => stream?.getTracks().forEach((track) => track.stop())
    void start()
    return () => {
      isOpen = false
      stop()
    }
  }, [])
  const measure = () =>
    act.run(async () => {
      const picture = await takePicture(video.current)
      const row = await client.send<ChecklistRow>('POST', 'checklist/tests/face-camera', { file: picture })
      setJudged(row)
      onRow(row)
    })
  const found = judged?.lastTest?.found ?? null
  return (
    <Dialog
      title={t('checklist.camera.title')}
      onClose={onClose}
      shape="wide"
      footer={
        <>
          <Button onClick={onClose}>{t('close')}</Button>
          <Button
            kind="primary"
            icon="camera"
            disabled={state !== 'LIVE'}
            working={act.working}
            onClick={() => void measure()}
          >
            {t('checklist.camera.measure')}
          </Button>
        </>
      }
    >
      <p>{t('checklist.camera.text')}</p>
      {state === 'STARTING' && <p role="status">{t('checklist.camera.starting')}</p>}
      {state === 'NONE' && (
        <Notice tone="problem" alert>
          <p>{t('checklist.camera.none')}</p>
        </Notice>
      )}
      <video
        ref={video}
        class="checklist-picture"
        muted
        playsInline
        aria-label={t('checklist.camera.live')}
        hidden={state === 'NONE'}
      />
      <ProblemNotice problem={act.problem} />
      {judged && (
        <Notice tone={found === null ? 'done' : 'problem'} alert>
          <p>
            {found === null
              ? t('checklist.camera.good')
              : known(`checklist.found.${found}`, spellCode(found))}
          </p>
        </Notice>
      )}
    </Dialog>
  )
}

async function takePicture(video: HTMLVideoElement | null): Promise<Blob> {
  const canvas = document.createElement('canvas')
  canvas.width = video?.videoWidth ?? 0
  canvas.height = video?.videoHeight ?? 0
  if (video) canvas.getContext('2d')?.drawImage(video, 0, 0)
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new TypeError('no picture'))), 'image/jpeg', 0.92)
  })
}
