#include "common/wire/frame.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>
#include <string_view>
#include <thread>

#include "burnish/v1/worker.pb.h"
#include "common/base/limits.h"
#include "common/base/unique_fd.h"

namespace burnish::wire {
namespace {

constexpr absl::Duration kLong = absl::Seconds(30);

v1::WorkerReply Message(size_t bytes) {
  v1::WorkerReply message;
  message.set_id(7);
  message.set_refusal(std::string(bytes, 'x'));
  return message;
}

class FrameTest : public testing::Test {
 protected:
  FrameTest() {
    int ends[2];
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    here_ = UniqueFd(ends[0]);
    there_ = UniqueFd(ends[1]);
  }
  void Send(std::string_view bytes) {
    ASSERT_EQ(::write(there_.get(), bytes.data(), bytes.size()),
              static_cast<ssize_t>(bytes.size()));
  }
  absl::StatusCode Read(absl::Duration timeout = kLong) {
    return ReadFrame(here_.get(), timeout, message_).code();
  }

  UniqueFd here_, there_;
  v1::WorkerReply message_;
};

TEST_F(FrameTest, CarriesMessagesInOrder) {
  for (const size_t bytes : {0, 1, 1000}) {
    ASSERT_TRUE(WriteFrame(there_.get(), Message(bytes)).ok());
  }
  for (const size_t bytes : {0, 1, 1000}) {
    ASSERT_TRUE(ReadFrame(here_.get(), kLong, message_).ok());
    EXPECT_EQ(message_.SerializeAsString(), Message(bytes).SerializeAsString());
  }
}

TEST_F(FrameTest, CarriesAnEmptyMessage) {
  ASSERT_TRUE(WriteFrame(there_.get(), v1::WorkerReply()).ok());
  EXPECT_EQ(Read(), absl::StatusCode::kOk);
}

TEST_F(FrameTest, BeginsWithTheLengthInLittleEndian) {
  ASSERT_TRUE(WriteFrame(there_.get(), Message(300)).ok());
  unsigned char header[4];
  ASSERT_EQ(::read(here_.get(), header, 4), 4);
  EXPECT_EQ(header[0] + 256u * header[1], Message(300).ByteSizeLong());
  EXPECT_EQ(header[2] + header[3], 0);
}

// Far more than the socket holds at once: both sides go on where they stopped.
TEST_F(FrameTest, WritesAndReadsInPieces) {
  const v1::WorkerReply large = Message(4 << 20);
  for (const bool non_blocking : {false, true}) {
    if (non_blocking) {
      for (const int fd : {here_.get(), there_.get()}) ::fcntl(fd, F_SETFL, O_NONBLOCK);
    }
    absl::Status written;
    {
      const std::jthread writer([&] { written = WriteFrame(there_.get(), large); });
      ASSERT_TRUE(ReadFrame(here_.get(), kLong, message_).ok());
    }
    EXPECT_TRUE(written.ok()) << written;
    EXPECT_EQ(message_.refusal().size(), large.refusal().size());
  }
}

TEST_F(FrameTest, WorksOverAPipe) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const UniqueFd output(ends[0]), input(ends[1]);
  ASSERT_TRUE(WriteFrame(input.get(), Message(10)).ok());
  EXPECT_TRUE(ReadFrame(output.get(), kLong, message_).ok());
  EXPECT_EQ(message_.id(), 7u);
}

TEST_F(FrameTest, IsUnavailableAtTheEndOfTheStream) {
  Send(std::string_view("\x05\0\0\0ab", 6));  // in the middle of a frame
  there_.Reset();
  EXPECT_EQ(Read(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(Read(), absl::StatusCode::kUnavailable);  // and between frames
}

TEST_F(FrameTest, IsUnavailableWhenTheReaderIsGone) {
  here_.Reset();
  EXPECT_EQ(WriteFrame(there_.get(), Message(1)).code(), absl::StatusCode::kUnavailable);

  const auto handler = ::signal(SIGPIPE, SIG_IGN);
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const UniqueFd input(ends[1]);
  ::close(ends[0]);
  EXPECT_EQ(WriteFrame(input.get(), Message(1)).code(), absl::StatusCode::kUnavailable);
  ::signal(SIGPIPE, handler);
}

TEST_F(FrameTest, GivesUpAtTheDeadline) {
  EXPECT_EQ(Read(absl::ZeroDuration()), absl::StatusCode::kDeadlineExceeded);
  Send(std::string_view("\x05\0\0\0ab", 6));
  EXPECT_EQ(Read(absl::Milliseconds(2)), absl::StatusCode::kDeadlineExceeded);
}

TEST_F(FrameTest, ReadsWhatIsThereWithoutWaiting) {
  ASSERT_TRUE(WriteFrame(there_.get(), Message(5)).ok());
  EXPECT_EQ(Read(absl::ZeroDuration()), absl::StatusCode::kOk);
}

TEST_F(FrameTest, RefusesFramesAboveTheLimit) {
  Send("\xff\xff\xff\x7f");
  EXPECT_EQ(Read(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(WriteFrame(there_.get(), Message(limits::kFrameBytes)).code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Read(absl::ZeroDuration()), absl::StatusCode::kDeadlineExceeded);  // nothing was sent
}

TEST_F(FrameTest, RefusesAFrameThatIsNoSuchMessage) {
  Send(std::string_view("\x02\0\0\0\xff\xff", 6));
  EXPECT_EQ(Read(), absl::StatusCode::kInvalidArgument);
}

TEST_F(FrameTest, IsCancelledByInputOrHangUp) {
  for (const bool hang_up : {false, true}) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    const UniqueFd cancel(ends[0]);
    UniqueFd trigger(ends[1]);
    const std::jthread canceller([&] {
      if (hang_up) {
        trigger.Reset();
      } else {
        EXPECT_EQ(::write(trigger.get(), "x", 1), 1);
      }
    });
    EXPECT_EQ(ReadFrame(here_.get(), cancel.get(), kLong, message_).code(),
              absl::StatusCode::kCancelled);
  }
}

TEST_F(FrameTest, ReadsOnWhileNothingCancels) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const UniqueFd cancel(ends[0]), trigger(ends[1]);
  ASSERT_TRUE(WriteFrame(there_.get(), Message(5)).ok());
  EXPECT_TRUE(ReadFrame(here_.get(), cancel.get(), kLong, message_).ok());
}

}  // namespace
}  // namespace burnish::wire
