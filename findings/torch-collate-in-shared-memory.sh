#!/usr/bin/env bash
# Workers of a PyTorch DataLoader hand their batches over in shared memory. Many projects have a collate function of their own, whose first
# line is torch.stack, the line that default_collate has, too.
# Guess: a collate function that stacks as default_collate does costs what default_collate costs.
# Seen with PyTorch 2.15.0: default_collate notices that it runs in a worker and stacks right into shared memory. torch.stack in a function of
# one's own makes a batch in the worker's private memory, which is copied into shared memory when it is sent: a second copy of every batch.
# torch.stack(images, out=...) with storage from new_shared, as default_collate does it, avoids that.
. "$(dirname "$0")/lib.sh"
install torch==2.15.0 numpy==2.4.6
expect 'default_collate: shared before it is sent: True
torch.stack: shared before it is sent: False' <<'PYTHON'
import torch
from torch.utils.data import DataLoader, Dataset, default_collate


class Images(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        return torch.full((3, 64, 64), float(index))


def by_default(samples):
    images = default_collate(samples)
    return images, images.is_shared()


def by_hand(samples):
    images = torch.stack(samples)
    return images, images.is_shared()


for name, collate in (("default_collate", by_default), ("torch.stack", by_hand)):
    images, was_shared = next(iter(DataLoader(Images(), batch_size=8, num_workers=1, collate_fn=collate)))
    print(f"{name}: shared before it is sent: {was_shared}")
PYTHON
